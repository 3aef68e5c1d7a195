/**
 * Many damaged notebooks: each prints unchanged, has diagnostics inside its text, and none throws. `npm run fuzz` tries
 * more of them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  formatDocument,
  fromIpynb,
  graphOfDocument,
  parseNotebook,
  printNotebook,
  readDocument,
  toIpynb,
  toJsonForm,
  toPercentScript,
} from '../index.ts';
import { setHeaderValue } from './edit-header.ts';

const RUNS = Number(process.env.WOOF_FUZZ_RUNS ?? 400);
const SEED = Number(process.env.WOOF_SEED ?? 7);
const options = { file: 'x.woofnb', kinds: [] };
const folder = new URL('../../../../conformance/notebook/', import.meta.url);
const WORDS = [
  ...[
    '```',
    '````',
    '```cell ',
    '````cell id=q type=md\n',
    '```\n',
    '`',
    '\n',
    '\r\n',
    '\r',
    '\t',
    '  ',
    '\0',
  ],
  ...[
    '%WOOFNB 1.0\n',
    '%WOOFNB',
    '\uFEFF',
    'id=a',
    'type=code',
    'type=data',
    'deps=',
    'deps=a,b',
    'sidefx=shell',
  ],
  ...[
    '"',
    '\\"',
    '\\',
    '=',
    ',',
    '#',
    ': ',
    '- ',
    '{',
    '[',
    '&a ',
    '*a',
    '|+\n',
    '{{ x }}',
    '---\n',
    '...\n',
    '!t ',
  ],
  ...[
    'name: ',
    'language: python\n',
    'execution: {order: graph}\n',
    'metadata:\n  jupyter: ',
    '__proto__',
    '<<: ',
  ],
  ...[
    'def f(x):\n',
    'lambda x: ',
    'for i in y:',
    "'''",
    '(',
    ')',
    'import *',
    'x-jupyter="{}"',
    '😀',
    '\uD800',
    '\u2028',
  ],
];

type Random = (below: number) => number;

test(`${RUNS} mutated notebooks`, () => {
  const random = randomFrom(SEED);
  const seeds = readdirSync(folder)
    .filter((name) => existsSync(new URL(`${name}/input.woofnb`, folder)))
    .map((name) => readFileSync(new URL(`${name}/input.woofnb`, folder), 'utf8'));
  for (let run = 0; run < RUNS; run++) {
    let text = seeds[random(seeds.length)]!;
    for (let n = 1 + random(5); n > 0; n--) text = mutate(text, seeds, random);
    try {
      examine(text);
    } catch (problem) {
      throw new Error(`run ${run}: ${JSON.stringify(text)}`, { cause: problem });
    }
  }
});

function examine(text: string): void {
  const { notebook } = parseNotebook(text);
  expect(printNotebook(notebook)).toBe(text);
  const { diagnostics } = readDocument(text, options);
  const lines = text.split('\n');
  for (const { line, column, endColumn } of diagnostics) {
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
    expect(endColumn).toBeGreaterThan(column);
  }
  const { text: formatted } = formatDocument(text, { ...options, fix: true });
  if (formatted !== undefined) {
    expect(formatDocument(formatted, options).text).toBe(formatted);
    const form = parseNotebook(formatted).notebook;
    expect(form.header.data).toEqual(notebook.header.data);
    expect(form.cells.map(({ body }) => unix(body))).toEqual(notebook.cells.map(({ body }) => unix(body)));
  }
  const { graph } = graphOfDocument(text, options);
  if (graph) expect(graph.order.toSorted()).toEqual(graph.nodes.map(({ id }) => id).toSorted());
  toPercentScript(notebook);
  const edited = setHeaderValue(notebook, 'name', 'new');
  if (edited) expect(edited.cells.map(({ body }) => body)).toEqual(notebook.cells.map(({ body }) => body));
  const back = fromIpynb(JSON.stringify(toIpynb(notebook)));
  const isValid = !diagnostics.some(({ severity }) => severity === 'error');
  if (isValid) expect(toJsonForm(parseNotebook(back.text!).notebook)).toEqual(toJsonForm(notebook));
}

/** Formatting joins carriage returns before a line end. */
function unix(body: string): string {
  return body.replaceAll(/\r+\n/g, '\n').replace(/\r+$/, '');
}

function mutate(text: string, seeds: readonly string[], random: Random): string {
  const at = random(text.length + 1);
  const length = random(15);
  switch (random(7)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length);
    case 1:
    case 2:
      return text.slice(0, at) + WORDS[random(WORDS.length)] + text.slice(at);
    case 3:
      return text.slice(0, at) + text.slice(at, at + length * 5).repeat(1 + random(3)) + text.slice(at);
    case 4:
      return swapLines(text, random);
    case 5:
      return random(4) === 0 ? text.replaceAll('\n', '\r\n') : swapLines(text, random);
    default: {
      const other = seeds[random(seeds.length)]!;
      return text.slice(0, at) + other.slice(random(other.length + 1));
    }
  }
}

function swapLines(text: string, random: Random): string {
  const lines = text.split('\n');
  const [a, b] = [random(lines.length), random(lines.length)];
  [lines[a], lines[b]] = [lines[b]!, lines[a]!];
  return lines.join('\n');
}

/** A small seeded generator (mulberry32), so that a failing run can be repeated. */
function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
