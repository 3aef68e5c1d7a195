/**
 * Thousands of damaged playbooks and workflows: each yields a plan or diagnostics inside the text, and none throws.
 * `npm run fuzz` tries more of them.
 */
import { expect, test } from 'vitest';
import { conformanceInputs, mutate, randomFrom } from './fixtures/damage.ts';
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

const RUNS = Number(process.env.WOOF_FUZZ_RUNS ?? 1000);
const SEED = Number(process.env.WOOF_SEED ?? 20_240_601);
const options = { kinds: toolSchemas };
test(`${RUNS} mutated documents`, () => {
  const random = randomFrom(SEED);
  const seeds = ['playbook', 'workflow'].flatMap(conformanceInputs);
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
