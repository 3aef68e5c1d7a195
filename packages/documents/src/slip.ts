import { nearest } from '@woof/expr/nearest';

/**
 * Whether a name that a run may be given is rather one that is known, with a slip: `cuont` for `count`. Those that are
 * longer or shorter by more, or have another number in them, are likely names of their own.
 */
export function isSlip(name: string, known: readonly string[]): boolean {
  const letters = (text: string) => text.replaceAll(/\d/g, '');
  const like = known.filter(
    (each) => Math.abs(each.length - name.length) <= 1 && letters(each) !== letters(name),
  );
  return nearest(name, like) !== undefined;
}
