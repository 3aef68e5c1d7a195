/** When a build of Woof uses the results of another one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CellTask, Plan } from '@woof/net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCellRunner } from './cell-runner.ts';
import type { DataDirectory } from './data-directory.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'woof-builds-'));
});
afterEach(() => {
  vi.unstubAllGlobals();
  rmSync(folder, { recursive: true, force: true });
});

const nothing = { allow_files: false, allow_network: false, allow_shell: false };
const cell: CellTask = {
  ...{ id: 'a', type: 'code', language: 'javascript', session: 'javascript', isolated: false, body: '1 + 1' },
  ...{ needs: [], declared: nothing, allowed: nothing, permissions: nothing, env: null, cache: true },
};

/** Runs the cell with a build of this version, whose kernels have this digest. */
async function runWith(version: string, drivers: string) {
  vi.stubGlobal('WOOF_VERSION', version);
  vi.stubGlobal('WOOF_DRIVERS', drivers);
  const runner = createCellRunner({ path: join(folder, 'data') } as DataDirectory, { sandbox: false });
  type Call = Parameters<typeof runner.run>[0];
  const assignment = {
    plan: { steps: [{ name: 'a', tasks: [{ kind: 'cell', label: 'a', input: cell }] }] } as unknown as Plan,
    source: { folder, file: join(folder, 'a.woofnb') },
    ...{ granted: {}, execution_id: version + drivers, world: { workload: {}, steps: new Map() } },
  } as unknown as Call['assignment'];
  const { signal } = new AbortController();
  const outcome = await runner.run({ cell, assignment, signal, durable: async () => true, log() {} });
  await runner.ended(assignment.execution_id);
  await runner.close();
  return outcome;
}

it('a cell runs again when the version of Woof or the code of its kernels changed', async () => {
  const ran = expect.not.objectContaining({ cached: true });
  const cached = { status: 'ok', cached: true };
  expect(await runWith('1.0.0', 'one')).toEqual(ran);
  expect(await runWith('1.0.0', 'one')).toMatchObject(cached);
  expect(await runWith('1.0.0', 'two')).toEqual(ran);
  expect(await runWith('1.0.1', 'two')).toEqual(ran);
  expect(await runWith('1.0.0', 'one')).toMatchObject(cached);
});
