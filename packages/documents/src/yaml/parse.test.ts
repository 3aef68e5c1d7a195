import { describe, expect, test } from 'vitest';
import { parseYaml } from './parse.ts';
import { toJson } from './tree.ts';

function check(text: string, expected: unknown): void {
  const { root, diagnostics } = parseYaml(text);
  expect(diagnostics).toEqual([]);
  expect(root && toJson(root)).toEqual(expected);
}

function refuse(text: string, code: string, line: number, column: number): void {
  const { root, diagnostics } = parseYaml(text);
  expect(root).toBeUndefined();
  expect(diagnostics[0]).toMatchObject({ code, line, column });
}

describe('what a syntax error says', () => {
  test.each([
    ['a: {b: 1\n', 'the map that starts with "{" is not closed', /^add "}"/],
    ['a: [1\n', 'the list that starts with "[" is not closed', /^add "]"/],
    ['a: b: c', 'this value contains ": ", so YAML reads a second key in it', /^put the value in quotes/],
    ['a:\n  b: 1\n c: 2', 'this key is not indented like the other keys of its map', /same column/],
    ['a: 1\nb\n', 'this key has no ":"', /^write `key: value`/],
    ['a: "x', 'the text in double quotes is not closed', /^add "/],
    ['a: @x', 'text without quotes cannot start with reserved character @', /^put it in quotes/],
    ['a: "\\q"', 'double quotes have no escape \\q', /backslash/],
    ['a: !own x', 'Woof does not know the tag !own', /^remove/],
    ['a: &one 1\nb: *on', 'no complete anchor &on before this alias', /^did you mean "one"\?$/],
  ])('%j', (text, message, hint) => {
    const [first] = parseYaml(text).diagnostics;
    expect(first).toMatchObject({ message, hint: expect.stringMatching(hint) });
  });
});

describe('parseYaml', () => {
  test('reads the core schema', () => {
    check('a: 1\nb: [true, null, ~, "x", yes, 1.5, 0x10]\nc: 2001-01-01', {
      a: 1,
      b: [true, null, null, 'x', 'yes', 1.5, 16],
      c: '2001-01-01',
    });
  });

  test('keeps to the core schema even if a directive asks for another', () => {
    check('%YAML 1.1\n---\na: yes\n', { a: 'yes' });
  });

  test('shares aliases and applies merge keys; keys written beside them win', () => {
    check('a: &a {x: 1, y: 2}\nb: *a\nc: {<<: *a, y: 3}\nd: {<<: [{x: 9}, *a]}', {
      a: { x: 1, y: 2 },
      b: { x: 1, y: 2 },
      c: { x: 1, y: 3 },
      d: { x: 9, y: 2 },
    });
  });

  test('keeps a key called __proto__ as data', () => {
    const { root } = parseYaml('{"__proto__": {"polluted": true}}');
    expect(JSON.stringify(root && toJson(root))).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('refuses what would never end or not fit', () => {
    refuse('x'.repeat(8 * 1024 * 1024 + 1), 'yaml/too-large', 1, 1);
    refuse('a: b\u0000', 'yaml/control-character', 1, 5);
    refuse('['.repeat(100_000), 'yaml/too-deep', 1, 201);
    refuse('- '.repeat(100_000), 'yaml/too-deep', 1, 400);
    refuse(`a: &a [x]\n${chain(300)}`, 'yaml/too-deep', 200, 13);
    refuse('a: &a [*a]', 'yaml/unknown-alias', 1, 8);
  });

  test('does not compare all pairs of a large map', () => {
    const cost = (keys: number) => {
      const text = Array.from({ length: keys }, (_, i) => `k${i}: 1`).join('\n');
      const before = process.cpuUsage().user;
      expect(parseYaml(text).diagnostics).toEqual([]);
      return process.cpuUsage().user - before;
    };
    // Eight times the keys have 64 times the pairs.
    expect(cost(40_000) / cost(5_000)).toBeLessThan(30);
  });

  test('names each unquoted template and nothing that follows from it', () => {
    const { unquoted, diagnostics } = parseYaml('a: {{ x }} and\nb: "{{ y }}"\nc: [{{ z }}]\n');
    expect(unquoted).toEqual([
      { line: 1, column: 4, endColumn: 11 },
      { line: 3, column: 5, endColumn: 12 },
    ]);
    expect(diagnostics).toEqual([]);
  });
});

function chain(length: number): string {
  return Array.from({ length }, (_, i) => `b${i}: &b${i} [*${i === 0 ? 'a' : `b${i - 1}`}]`).join('\n');
}
