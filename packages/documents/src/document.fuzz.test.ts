/** Ten thousand damaged playbooks and workflows: each gives a plan or diagnostics inside the text, and none a throw. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { toolSchemas } from './fixtures/tool-schemas.ts';
import {
  drawDot,
  drawMermaid,
  drawTerminal,
  formatDocument,
  graphOf,
  readDocument,
  renderDiagnostics,
} from './index.ts';

const RUNS = 10_000;
const options = { kinds: toolSchemas };
const folders = ['playbook', 'workflow'].map(
  (kind) => new URL(`../../../conformance/${kind}/`, import.meta.url),
);
const TOKENS = [
  ...[
    '- ',
    ': ',
    '? ',
    '{',
    '}',
    '[',
    ']',
    ',',
    '"',
    "'",
    '|',
    '>',
    '&a ',
    '*a',
    '!x ',
    '#',
    '\n',
    '\t',
    '  ',
    '<<: ',
  ],
  ...[
    '{{',
    '}}',
    '{%',
    '%}',
    '{#',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '\u0000',
    '\uFEFF',
    '\r',
    '\u2028',
    '😀',
    '\uD800',
  ],
  ...[
    'step',
    'when',
    'then',
    'do',
    'else',
    'loop',
    'in',
    'next',
    'arcs',
    'tool',
    'kind',
    'spec',
    'policy',
    'rules',
    'stages',
    'stage_id',
    'deps',
    'matrix',
    'if',
    'commands',
    'matrix.os',
  ],
  ...['__proto__: ', 'constructor', 'null', '~', '.nan', '1e999', '0x', 'true', '-1', '|2-\n', '>+\n'],
];

test(`${RUNS} mutated documents`, () => {
  const random = randomFrom(20_240_601);
  const seeds = folders.flatMap(inputsOf);
  for (let run = 0; run < RUNS; run++) {
    let text = seeds[random(seeds.length)]!;
    for (let n = 1 + random(4); n > 0; n--) text = mutate(text, seeds, random);
    try {
      examine(text, run);
    } catch (problem) {
      throw new Error(`run ${run}: ${JSON.stringify(text)}`, { cause: problem });
    }
  }
});

function inputsOf(folder: URL): string[] {
  const cases = readdirSync(folder).filter((name) => statSync(new URL(name, folder)).isDirectory());
  const paths = cases.flatMap((name) =>
    ['yaml', 'json'].map((end) => new URL(`${name}/input.${end}`, folder)),
  );
  return paths.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'));
}

function examine(text: string, run: number): void {
  const { plan, diagnostics } = readDocument(text, options);
  expect(plan === undefined).toBe(diagnostics.some((each) => each.severity === 'error'));
  const lines = text.split('\n');
  for (const { line, column, endColumn } of diagnostics) {
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
    expect(endColumn).toBeGreaterThan(column);
  }
  if (plan) expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  if (run % 10 !== 0) return;
  renderDiagnostics(diagnostics, text, 'x.yaml', { color: true });
  const { text: formatted } = formatDocument(text, options);
  if (formatted !== undefined) expect(formatDocument(formatted, options).text).toBe(formatted);
  if (!plan) return;
  const graph = graphOf(plan);
  expect(graph.order.toSorted()).toEqual(graph.nodes.map((node) => node.id).toSorted());
  for (const drawing of [
    drawDot(graph),
    drawMermaid(graph),
    drawTerminal(graph, { width: 80, color: true }),
  ]) {
    expect(drawing.endsWith('\n')).toBe(true);
  }
}

function mutate(text: string, seeds: readonly string[], random: (below: number) => number): string {
  const at = random(text.length + 1);
  const length = random(12);
  switch (random(8)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length);
    case 1:
      return text.slice(0, at) + TOKENS[random(TOKENS.length)] + text.slice(at);
    case 2:
      return text.slice(0, at) + String.fromCharCode(random(0x180)) + text.slice(at + 1);
    case 3:
      return text.slice(0, at) + text.slice(at, at + length).repeat(1 + random(3)) + text.slice(at);
    case 4:
      return swapLines(text, random);
    case 5:
      return swapWords(text, random);
    case 6:
      return text.replaceAll('\n', random(2) === 0 ? '\r\n' : '\n ');
    default: {
      const other = seeds[random(seeds.length)]!;
      return text.slice(0, at) + other.slice(random(other.length + 1));
    }
  }
}

function swapLines(text: string, random: (below: number) => number): string {
  const lines = text.split('\n');
  const [a, b] = [random(lines.length), random(lines.length)];
  [lines[a], lines[b]] = [lines[b]!, lines[a]!];
  return lines.join('\n');
}

function swapWords(text: string, random: (below: number) => number): string {
  const words = text.split(/\b/);
  words[random(words.length)] = TOKENS[random(TOKENS.length)]!;
  words[random(words.length)] = words[random(words.length)]!;
  return words.join('');
}

/** A small seeded generator (mulberry32), so that a failing run can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
