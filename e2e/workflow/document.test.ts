/** Workflows through the program: recognized by the contents of the file, whatever its name. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lastJson, runWoof, temporaryFolder } from '../cli/woof.ts';

const DIAMOND = `name: diamond
workload: {left: true}
stages:
  - {stage_id: end, kind: noop, deps: [left, right]}
  - {stage_id: left, kind: noop, if: workload.left}
  - {stage_id: only_left, kind: noop, deps: [left]}
  - stage_id: right
    matrix: {n: [1, 2]}
    commands: [{program: echo, args: ["{{ matrix.n }}", "{{ other }}"]}]
  - {stage_id: start, kind: noop}
edges:
  - {from: start, to: left}
  - {from: start, to: right}
`;

function written(name: string, text: string): { cwd: string; file: string } {
  const cwd = temporaryFolder();
  const file = join(cwd, name);
  writeFileSync(file, text);
  return { cwd, file };
}

interface Summary {
  execution_id: string;
  status: string;
  steps: Record<string, { status: string; result?: { commands?: { args: string[] }[] } }>;
}

const statusesOf = ({ steps }: Summary) =>
  Object.fromEntries(Object.entries(steps).map(([name, { status }]) => [name, status]));

describe('a workflow', () => {
  test('runs from its beginning to its end, and fills in its matrix', async () => {
    const { cwd, file } = written('notes.txt', DIAMOND);
    const ran = await runWoof(['run', file, '--json'], { cwd });
    const summary = lastJson<Summary>(ran);
    expect(new Set(Object.values(statusesOf(summary)))).toEqual(new Set(['succeeded']));
    expect(summary.steps['right@n=2']!.result!.commands![0]!.args).toEqual(['2', '{{ other }}']);
    const events = await runWoof(['events', summary.execution_id, '--json'], { cwd });
    const scheduled = events.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; step: string })
      .filter(({ name }) => name === 'step.scheduled')
      .map(({ step }) => step);
    expect(scheduled[0]).toBe('start');
    expect(scheduled.indexOf('end')).toBeGreaterThan(scheduled.indexOf('right@n=2'));
  });

  test('skips a stage whose condition is false and what only waits for it; the rest continues', async () => {
    const { cwd, file } = written('diamond.yaml', DIAMOND);
    const ran = await runWoof(['run', file, '--json', '--set', 'left=false'], { cwd });
    const summary = lastJson<Summary>(ran);
    expect(ran.status).toBe(0);
    expect(statusesOf(summary)).toMatchObject({ left: 'skipped', only_left: 'skipped', end: 'succeeded' });
    const why = await runWoof(['why', summary.execution_id, 'only_left'], {
      cwd,
    });
    expect(why.stdout).toContain('"left" was skipped');
  });

  test('is drawn, linted and formatted, in JSON too', async () => {
    const spec = {
      edges: [{ to: 'b', from: 'a' }],
      stages: [
        { kind: 'noop', stage_id: 'a' },
        { stage_id: 'b', kind: 'noop' },
      ],
      name: 'w',
    };
    const { cwd, file } = written('spec', JSON.stringify(spec));
    expect(lastJson(await runWoof(['graph', file, '--json'], { cwd }))).toEqual({
      nodes: [
        { id: 'a', type: 'noop' },
        { id: 'b', type: 'noop' },
      ],
      edges: [{ from: 'a', to: 'b' }],
      order: ['a', 'b'],
    });
    expect(await runWoof(['lint', file], { cwd })).toMatchObject({ status: 0 });
    expect(await runWoof(['fmt', file], { cwd })).toMatchObject({ status: 0 });
    const formatted = readFileSync(file, 'utf8');
    expect(Object.keys(JSON.parse(formatted) as object)).toEqual(['name', 'stages', 'edges']);
    expect(await runWoof(['fmt', '--check', file], { cwd })).toMatchObject({ status: 0 });
  });

  test('that is wrong is refused with the line, and nothing is started', async () => {
    const { cwd, file } = written(
      'w.yaml',
      'name: w\nstages:\n  - {stage_id: a, kind: noop, deps: [b]}\n  - {stage_id: b, kind: noop, deps: [a]}\n',
    );
    const ran = await runWoof(['run', file], { cwd });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toMatch(/w\.yaml:\d+:\d+\s+error\s+workflow\/cycle/);
    expect(ran.stderr).toContain('b → a → b');
    expect((await runWoof(['runs', '--json'], { cwd })).stdout).not.toContain('execution_id');
  });
});
