/** Kernels end when nobody needs them any more, even after an error. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CellRun, Kernel, KernelSpec } from '@woof/kernels';
import type { CellTask, Plan } from '@woof/net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CellCall } from './cell-call.ts';
import { CellRunner } from './cell-runner.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'woof-cells-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const nothing = { allow_files: false, allow_network: false, allow_shell: false };
const task = (id: string, more: Partial<CellTask>): CellTask => ({
  ...{ id, type: 'code', language: 'python', session: 'python', isolated: false, body: '', needs: [] },
  ...{ declared: nothing, allowed: nothing, permissions: nothing, env: null, cache: false },
  ...more,
});

function callOf(cell: CellTask, cells: CellTask[]): CellCall {
  const steps = cells.map((input) => ({ tasks: [{ kind: 'cell', label: input.id, input }] }));
  const assignment = {
    plan: { steps } as unknown as Plan,
    ...{ source: { folder }, granted: {}, execution_id: 'x', world: { workload: {}, steps: new Map() } },
  } as unknown as CellCall['assignment'];
  const { signal } = new AbortController();
  return { cell, assignment, signal, durable: async () => true, log() {} };
}

/** Starts kernels that accept no values, and counts those that are alive. */
function runnerOf(living: Set<object>): CellRunner {
  const startKernel = async (): Promise<Kernel> => {
    const kernel = {
      alive: true,
      adapt: () => true,
      bind: () => Promise.reject(new Error('too deep')),
      close: async () => void living.delete(kernel),
      run: async () => ({ status: 'ok', droppedBytes: 0 }),
    };
    living.add(kernel);
    return kernel as unknown as Kernel;
  };
  return new CellRunner({
    ...{ startKernel, cacheFolder: folder, sandbox: false, hidden: [], useCache: false },
    renderChart: () => Promise.reject(new Error('no charts here')),
    runtime: async () => '',
  });
}

it('an isolated kernel ends with its cell, even if it could not receive what the cell depends on', async () => {
  const living = new Set<object>();
  const runner = runnerOf(living);
  const data = task('d', { type: 'data', session: 'data', value: 1 });
  const shared = task('s', {});
  const alone = task('a', { isolated: true, needs: ['d'] });
  const cells = [data, shared, alone];
  expect(await runner.run(callOf(shared, cells))).toMatchObject({ status: 'ok' });
  expect(living.size).toBe(1);
  expect(await runner.run(callOf(alone, cells))).toMatchObject({ error: { message: 'too deep' } });
  expect(living.size).toBe(1);
  await runner.close();
  expect(living.size).toBe(0);
});

it('a kernel that was started ahead serves the first cell, and ends if no cell comes', async () => {
  const living = new Set<object>();
  const runner = runnerOf(living);
  const first = task('s', {});
  const call = callOf(first, [task('d', { type: 'data', session: 'data', value: 1 }), first]);
  await runner.foresee(call.assignment);
  expect(living.size).toBe(1);
  expect(await runner.run(call)).toMatchObject({ status: 'ok' });
  expect(living.size).toBe(1);
  await runner.ended('x');
  expect(living.size).toBe(0);
  await runner.foresee(call.assignment);
  expect(living.size).toBe(1);
  await runner.close();
  expect(living.size).toBe(0);
});

it('no kernel starts ahead for a refused cell or for a notebook that contains only data', async () => {
  const living = new Set<object>();
  const runner = runnerOf(living);
  const refused = task('s', { declared: { ...nothing, allow_network: true } });
  for (const cell of [refused, task('d', { type: 'data', session: 'data', value: 1 })])
    await runner.foresee(callOf(cell, [cell]).assignment);
  expect(living.size).toBe(0);
});

it('a missing interpreter is reported on the cell, and starting its kernel ahead breaks nothing', async () => {
  const missing = () => Promise.reject(new Error('there is no python3'));
  const runner = new CellRunner({
    ...{ startKernel: missing, runtime: missing, renderChart: missing, cacheFolder: folder },
    ...{ sandbox: false, hidden: [], useCache: true },
  });
  const cell = task('s', { cache: true });
  const call = callOf(cell, [cell]);
  await runner.foresee(call.assignment);
  expect(await runner.run(call)).toMatchObject({
    status: 'error',
    error: { message: 'there is no python3' },
  });
  const explain = runner.explainer(call.assignment.plan, { source: {}, granted: {}, parameters: {} });
  expect(await explain(cell)).toBe('it would fail: there is no python3');
  await runner.close();
});

/**
 * Kernels that do not check permissions themselves. They record the policy under which each cell runs, and may die
 * after one.
 */
function hooklessRunner(ran: string[], moves: boolean, diesAfter?: string): CellRunner {
  let dies = diesAfter;
  const startKernel = async (spec: KernelSpec): Promise<Kernel> => {
    const mode = spec.policy.allow_network ? 'net' : 'none';
    const kernel = {
      alive: true,
      adapt: (other: KernelSpec) => other.policy.allow_network === spec.policy.allow_network,
      save: async () => (moves ? `state of ${mode}` : undefined),
      load: async (state: string) => void ran.push(`${mode} takes ${state}`),
      close: async () => {},
      run: async ({ id }: CellRun) => {
        ran.push(`${id} under ${mode}`);
        if (id === dies) [kernel.alive, dies] = [false, undefined];
        return { status: 'ok', droppedBytes: 0 };
      },
    };
    return kernel as unknown as Kernel;
  };
  return new CellRunner({
    ...{ startKernel, cacheFolder: folder, sandbox: false, hidden: [], useCache: false },
    renderChart: () => Promise.reject(new Error('no charts here')),
    runtime: async () => '',
  });
}

const network = { ...nothing, allow_network: true };
const plain = task('plain', { language: 'r', session: 'r', permissions: network, allowed: network });
const online = { ...plain, id: 'online', declared: network, needs: ['plain'] };

it('the state moves to a process with the permissions of the next cell, and no cell runs twice', async () => {
  const ran: string[] = [];
  const runner = hooklessRunner(ran, true);
  for (const cell of [plain, online]) await runner.run(callOf(cell, [plain, online]));
  expect(ran).toEqual(['plain under none', 'net takes state of none', 'online under net']);
  await runner.close();
});

it('after a crash a cell runs again with its own permissions, not with those of the cell that needs it', async () => {
  const ran: string[] = [];
  const runner = hooklessRunner(ran, true, 'plain');
  for (const cell of [plain, online]) await runner.run(callOf(cell, [plain, online]));
  expect(ran.filter((line) => line.startsWith('plain'))).toEqual(['plain under none', 'plain under none']);
  expect(ran.at(-1)).toBe('online under net');
  await runner.close();
});

it('a cell with other permissions is refused if the state of its kernel cannot move', async () => {
  const runner = hooklessRunner([], false);
  await runner.run(callOf(plain, [plain, online]));
  expect(await runner.run(callOf(online, [plain, online]))).toMatchObject({
    error: { message: expect.stringMatching(/other permissions.*"r".*sidefx=isolated/) },
  });
  await runner.close();
});
