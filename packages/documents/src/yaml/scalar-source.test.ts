import { expect, test } from 'vitest';
import { parseYaml } from './parse.ts';
import { lineOffsets, sourceEnd, sourceOffset } from './scalar-source.ts';
import { child, type ScalarNode } from './tree.ts';

/** Every visible character of the value is found at its own place; `@` marks the one that is looked up. */
test.each([
  ['plain', 'a: some @ text'],
  ['plain on two lines', 'a: some\n  more @ text'],
  ['single quotes', "a: 'it''s @ here'"],
  ['double quotes', 'a: "tab\\t new\\n \\u0041 \\U0001F600 \\\\ \\" @"'],
  ['double quotes on two lines', 'a: "one \\\n   two\n\n  @"'],
  ['literal block', 'a: |\n  one\n\n    two @\n'],
  ['literal block with a comment and an indent', 'a: |2- # why | @no\n    one\n  two @\n'],
  ['folded block', 'a: >-\n  one\n  two\n\n  three @\n'],
  ['tag and anchor before it', 'a: &x !!str "two @"'],
  ['carriage returns', 'a: |\r\n  one\r\n  two @\r\n'],
])('%s', (_name, text) => {
  const node = scalarIn(text);
  expect(sourceOffset(node, text, String(node.value).lastIndexOf('@'))).toBe(text.lastIndexOf('@'));
});

test.each([
  ['a plain character', 'a: it is @', '@'],
  ['a doubled quote', "a: 'it''s'", "''"],
  ['an escaped quote', 'a: "it\\"s"', '\\"'],
  ['a numbered escape', 'a: "it\\u0021s"', '\\u0021'],
])('the place of %s ends after all of it', (_name, text, written) => {
  const node = scalarIn(text);
  const index = String(node.value).search(/[@'"!]/);
  expect(sourceEnd(node, text, index)).toBe(text.indexOf(written) + written.length);
});

/** Each line of the value begins with a digit of its own, in order. */
test.each([
  ['plain', 'a: 0'],
  ['double quotes', 'a: "0\\n  1 \\x20\\\\ \\U0001F600\\n2"'],
  ['double quotes on several lines', 'a: "0 and\n\n  1\\\n  more\\n2"'],
  ['literal block', 'a: |\n  0\n    1\n  2\n'],
  ['folded block', 'a: >\n  0\n  more\n\n  1\n\n  2\n'],
])('lines of a value: %s', (_name, text) => {
  const node = scalarIn(text);
  const begins = lineOffsets(node, text).slice(0, String(node.value).trimEnd().split('\n').length);
  expect(begins.map((at) => text[at])).toEqual(['0', '1', '2'].slice(0, begins.length));
});

function scalarIn(text: string): ScalarNode {
  const { root } = parseYaml(text);
  const node = root?.type === 'map' ? child(root, 'a') : undefined;
  if (node?.type !== 'scalar') throw new Error('expected a scalar');
  return node;
}
