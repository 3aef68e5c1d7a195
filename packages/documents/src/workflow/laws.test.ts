/** What holds for every workflow. */
import type { ExecInput, Plan } from '@woof/net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readDocument } from '../document.ts';
import { formatDocument } from '../format.ts';
import { graphOf } from '../graph/graph.ts';
import { type AnyWorkflow, anyWorkflow } from './fixtures/random-workflow.ts';

const options = { kinds: [] };

function planOf(text: string): Plan {
  const { plan, diagnostics } = readDocument(text, options);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return plan!;
}

/** Without positions, which differ between ways of writing. */
function meaning(plan: Plan): unknown {
  return JSON.parse(
    JSON.stringify(plan, (key, value: unknown) => (key === 'at' || key === 'where' ? 0 : value)),
  );
}

const arcsOf = (plan: Plan) =>
  plan.steps.flatMap(({ name, next }) => next.arcs.map(({ step }) => `${name} ${step}`));

describe('any workflow', () => {
  test('has the arcs of its edges, forwards, and starts with stages that wait for nothing', () => {
    fc.assert(
      fc.property(anyWorkflow, (workflow) => {
        const plan = planOf(JSON.stringify(workflow));
        expect(arcsOf(plan).sort()).toEqual(workflow.edges.map(({ from, to }) => `${from} ${to}`).sort());
        const waiting = new Set(workflow.edges.map(({ to }) => to));
        const ids = workflow.stages.map(({ stage_id }) => stage_id);
        expect(plan.entry).toEqual(ids.filter((id) => !waiting.has(id)));
        const { order } = graphOf(plan);
        expect(order.toSorted()).toEqual(ids.toSorted());
        for (const { from, to } of workflow.edges)
          expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
      }),
    );
  });

  test('means the same with `deps` in place of `edges`', () => {
    fc.assert(
      fc.property(anyWorkflow, (workflow) => {
        const stages = workflow.stages.map((stage) => {
          const deps = workflow.edges.filter(({ to }) => to === stage.stage_id).map(({ from }) => from);
          return { ...stage, deps };
        });
        const plan = planOf(JSON.stringify({ name: workflow.name, stages }));
        expect(arcsOf(plan).sort()).toEqual(arcsOf(planOf(JSON.stringify(workflow))).sort());
      }),
    );
  });

  test('is read back as it was printed: JSON, YAML and the canonical form of either', () => {
    fc.assert(
      fc.property(anyWorkflow, (workflow) => {
        const texts = [JSON.stringify(workflow), stringify(workflow)];
        const expected = meaning(planOf(texts[0]!));
        expect(blocksOf(planOf(texts[0]!))).toMatchObject(writtenBlocks(workflow));
        for (const text of texts) {
          const { text: formatted } = formatDocument(text, options);
          expect(meaning(planOf(text))).toEqual(expected);
          expect(meaning(planOf(formatted!))).toEqual(expected);
          expect(formatDocument(formatted!, options).text).toBe(formatted);
        }
      }),
      { numRuns: 50 },
    );
  });
});

function blocksOf(plan: Plan): Record<string, ExecInput> {
  const pairs = plan.steps.flatMap(({ name, tasks }) =>
    tasks.filter(({ kind }) => kind === 'exec').map(({ input }) => [name, input]),
  );
  return Object.fromEntries(pairs) as Record<string, ExecInput>;
}

function writtenBlocks({ stages }: AnyWorkflow): Record<string, object> {
  const blocks = stages.filter(({ kind }) => kind === 'exec_block');
  return Object.fromEntries(blocks.map(({ stage_id, config }) => [stage_id, config as object]));
}
