import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareValues } from './compare-runs.ts';
import { type DiffLine, folded, lineDiff } from './line-diff.ts';

const signs = (lines: readonly DiffLine[]) =>
  lines.map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`).join('\n');

it('lists the lines that were removed and added', () => {
  expect(signs(lineDiff('a\nb\nc\nd', 'a\nx\nc\nd')!)).toBe(' a\n-b\n+x\n c\n d');
  expect(signs(lineDiff('', 'a')!)).toBe('-\n+a');
  expect(signs(lineDiff('a\nb', 'a\nb')!)).toBe(' a\n b');
});

it('shows only the lines of the run that has a value', () => {
  const found = compareValues(undefined, ['a']);
  expect(signs(('lines' in found && found.lines) || [])).toBe('+[\n+  "a"\n+]');
  expect(compareValues(20, undefined)).toEqual({ isEqual: false, lines: [{ kind: 'removed', text: '20' }] });
});

it('distinguishes lists that begin with the same stored items', () => {
  const checksum = `sha256:${'a'.repeat(64)}`;
  const list = { store: 'file', key: 'a', checksum, size: 70_000, schema_hint: { type: 'list', length: 9 } };
  const more = (...items: number[]) => ({ ...list, more: { pages: [], items, bytes: 8 } });
  expect(compareValues(more(1), more(1))).toEqual({ isEqual: true });
  expect(compareValues(more(1), more(2))).toMatchObject({ isEqual: false });
  expect(compareValues(list, more(1))).toMatchObject({ isEqual: false });
});

const texts = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 });

/** The length of the longest common subsequence, by trying all. */
function longest(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  if (a[0] === b[0]) return 1 + longest(a.slice(1), b.slice(1));
  return Math.max(longest(a.slice(1), b), longest(a, b.slice(1)));
}

it('contains both texts, with as many equal lines as possible', () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      const lines = lineDiff(a.join('\n'), b.join('\n'))!;
      const without = (kind: string) => lines.filter((line) => line.kind !== kind).map(({ text }) => text);
      expect(without('added')).toEqual(a);
      expect(without('removed')).toEqual(b);
      expect(lines.filter(({ kind }) => kind === 'same')).toHaveLength(longest(a, b));
    }),
  );
});

it('texts that are too long are not compared; equal ends do not count', () => {
  const lines = (count: number, from: string) =>
    Array.from({ length: count }, (_, i) => `${from}${i}`).join('\n');
  expect(lineDiff(lines(1000, 'a'), lines(1000, 'b'))).toBeUndefined();
  expect(
    lineDiff(`${lines(5000, 'a')}\nx\n${lines(5000, 'b')}`, `${lines(5000, 'a')}\ny\n${lines(5000, 'b')}`),
  ).toHaveLength(10_002);
});

it('what lies far from a difference is left out', () => {
  const text = Array.from({ length: 20 }, (_, i) => String(i));
  const shown = folded(lineDiff(text.join('\n'), text.with(10, 'x').join('\n'))!);
  expect(shown.map((line) => ('count' in line ? line.count : line.text))).toEqual([
    7,
    '7',
    '8',
    '9',
    '10',
    'x',
    '11',
    '12',
    '13',
    6,
  ]);
});
