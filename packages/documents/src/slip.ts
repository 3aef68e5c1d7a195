import { nearest } from '@woof/expr/nearest';

/**
 * Whether a name that a run receives is probably a typo of a known one: `cuont` for `count`. Names whose length differs
 * by more, or that contain another number, are likely names of their own.
 */
export function isSlip(name: string, known: readonly string[]): boolean {
  const letters = (text: string) => text.replaceAll(/\d/g, '');
  const like = known.filter(
    (each) => Math.abs(each.length - name.length) <= 1 && letters(each) !== letters(name),
  );
  return nearest(name, like) !== undefined;
}
