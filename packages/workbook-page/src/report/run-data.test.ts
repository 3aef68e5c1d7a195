import { drawPlan } from '@woof/documents/drawing';
import { Driver, plan, step } from '@woof/testkit';
import { expect, test } from 'vitest';
import { fromRunFiles, type ReportData, toRunFiles } from './run-data.ts';

test('a run goes into files and back', () => {
  const { events, state } = new Driver(plan([step('a', { to: ['b'] }), step('b')]));
  const logs = Array.from({ length: 3 }, (_, i) => ({
    at: new Date(i).toISOString(),
    step: 'a',
    stream: 'stdout' as const,
    text: 'x'.repeat(1_500_000),
  }));
  const run: ReportData = {
    execution_id: state.execution_id,
    name: 'n',
    plan: state.plan,
    drawing: drawPlan(state.plan),
    tracebacks: [{ step: 'a', task: 't', said: 'line 1', placed: 'line 7' }],
    events,
    logs,
    values: { 'sha256:1': 'big' },
    children: [],
  };
  const files = toRunFiles(run);
  expect(files.map(({ path }) => path)).toContain('logs/0003.jsonl');
  const { drawing, ...rest } = fromRunFiles(files);
  expect(rest).toEqual({ ...run, drawing: undefined });
  expect(drawing).toMatchObject({ x: [0, 0], layer: [0, 1], from: [0], to: [1], width: 168 });
});

test('a plan is written with line breaks, unless it is very large', () => {
  const linesOf = (count: number) => {
    const steps = Array.from({ length: count }, (_, i) => step(`s${i}`));
    const own = plan(steps);
    const run = {
      execution_id: 'x',
      name: 'n',
      plan: own,
      drawing: drawPlan(own),
      tracebacks: [],
      events: [],
      logs: [],
      values: {},
      children: [],
    };
    const files = toRunFiles(run);
    expect(fromRunFiles(files).plan.steps).toHaveLength(count);
    return files.find(({ path }) => path === 'plan.json')!.text.split('\n').length;
  };
  expect(linesOf(10)).toBeGreaterThan(100);
  expect(linesOf(5000)).toBe(2);
});
