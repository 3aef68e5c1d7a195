import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { conformanceInputs, mutate, randomFrom } from '../fixtures/damage.ts';
import { parseYaml } from './parse.ts';
import { parseSimple } from './parse-simple.ts';
import type { Node } from './tree.ts';

const examples = new URL('../../../../examples/', import.meta.url);
const seeds = [
  ...['playbook', 'workflow'].flatMap(conformanceInputs),
  ...readdirSync(examples)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(new URL(name, examples), 'utf8')),
];

/** No message mentions where a collection of several lines ends. */
function comparable(node: Node, text: string): unknown {
  if (node.type === 'scalar') return node;
  const isFlow = /[[{]/.test(text[node.start]!);
  const place = {
    type: node.type,
    start: node.start,
    end: isFlow ? node.end : 0,
    size: node.size,
    depth: node.depth,
  };
  if (node.type === 'list') return { ...place, items: node.items.map((item) => comparable(item, text)) };
  const entries = [...node.entries.values()];
  return {
    ...place,
    entries: entries.map(({ key, at, value }) => ({ key, at, value: comparable(value, text) })),
  };
}

/** Returns whether the text was simple. */
function check(text: string): boolean {
  const simple = parseSimple(text);
  if (simple === undefined) return false;
  const { root, diagnostics } = parseYaml(text);
  expect(diagnostics, JSON.stringify(text)).toEqual([]);
  expect(comparable(simple, text), JSON.stringify(text)).toEqual(comparable(root!, text));
  return true;
}

describe('parseSimple', () => {
  test('agrees with the library on what it reads, which is most', () => {
    const simple = seeds.filter(check);
    expect(simple.length).toBeGreaterThan(seeds.length / 2);
  });

  test('agrees with the library on damaged texts', () => {
    const random = randomFrom(7);
    const found = Array.from({ length: 10_000 }, () => {
      const seed = seeds[random(seeds.length)]!;
      return check(mutate(random(2) ? mutate(seed, seeds, random) : seed, seeds, random));
    });
    expect(found.filter(Boolean).length).toBeGreaterThan(1000);
  });

  test.each([
    'a: 1 # c\nb:\n- x\n- y: 1\n  z: [1, "2", {k: v}]\nc: {}\n',
    "a: 'it''s'\nb: \"x\\ty\"\nc: http://x#y\nd: a:b\ne: -1.5e3\n",
    'a: 12345678901234567890\nb: 1.0\nc: -1e3\nd: +7\ne: 1.\nf: .5\ng: -0\nh: -0.0\n',
  ])('reads %j', (text) => expect(check(text)).toBe(true));

  test.each([
    'a: &x 1\nb: *x\n',
    'a: |\n  x\n',
    'a: b\n  c\n',
    'a: b: c\n',
    'a: 1\na: 2\n',
    'a:\nb: 1\n',
    'a: {{ x }}\n',
    'a: @x\n',
    'a:\tb\n',
    '? a\n: b\n',
    '--- \na: 1\n',
    'a: 1\n...\n',
    'a: .nan\n',
    'a: !x y\n',
    'a: [b,\n  c]\n',
    'a: "b\n  c"\n',
    'null: 1\n',
  ])('leaves %j to the library', (text) => expect(parseSimple(text)).toBeUndefined());
});
