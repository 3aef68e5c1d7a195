import { expect, test } from 'vitest';
import { parseYaml } from './parse.ts';
import { sourceOffset } from './scalar-source.ts';
import { child } from './tree.ts';

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
  const { root } = parseYaml(text);
  const node = root?.type === 'map' ? child(root, 'a') : undefined;
  if (node?.type !== 'scalar' || typeof node.value !== 'string') throw new Error('expected text');
  expect(sourceOffset(node, text, node.value.lastIndexOf('@'))).toBe(text.lastIndexOf('@'));
});
