import { decodeJson, encodeJson } from '@woof/net';
import { exactValue } from '@woof/testkit/exact-values';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseYaml } from './parse.ts';
import { parseJson } from './parse-json.ts';
import { toJson } from './tree.ts';

describe('parseJson', () => {
  test('reads what YAML reads, at the same places', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), exactValue), fc.constantFrom(0, 2), (value, indent) => {
        const text = encodeJson(value, indent);
        const fast = parseJson(text);
        const { root, diagnostics } = parseYaml(text);
        if (fast) expect(diagnostics).toEqual([]);
        if (fast && root) expect(fast).toEqual(root);
        if (fast) expect(toJson(fast)).toEqual(decodeJson(text));
      }),
    );
  });

  test.each([
    '',
    '[1]',
    '{"a": 1,}',
    '{"a": 1} x',
    '{"a": 1, "a": 2}',
    '{a: 1}',
    '{"a": 01}',
    '{"a": 1e999}',
    '{"a": "\t"}',
    "{'a': 1}",
    '{"a": 1} # comment',
    `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`,
  ])('leaves %j to YAML', (text) => expect(parseJson(text)).toBeUndefined());

  test('keeps names of object members as plain keys', () => {
    const root = parseJson('{"__proto__": {"x": 1}, "constructor": 2}')!;
    expect(JSON.stringify(toJson(root))).toBe('{"__proto__":{"x":1},"constructor":2}');
  });
});
