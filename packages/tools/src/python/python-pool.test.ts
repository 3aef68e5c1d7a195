import { tmpdir } from 'node:os';
import { LONGEST_TIMER_MS } from '@woof/net';
import { findInterpreter } from '@woof/sandbox';
import { describeUnless } from '@woof/testkit';
import { afterAll, expect, it } from 'vitest';
import { whyNot } from '../code-case.ts';
import { PythonPool } from './python-pool.ts';
import type { WorkerSetting } from './python-worker.ts';

const reason = await whyNot();

describeUnless(reason)('PythonPool', () => {
  const pool = new PythonPool(2, LONGEST_TIMER_MS);
  afterAll(() => pool.close());

  it('ends the oldest idle worker if another would exceed the limit', async () => {
    const { executable, folders } = await findInterpreter(undefined);
    const policy = { allow_files: false, allow_network: false, allow_shell: false };
    const base = { executable, policy, workdir: tmpdir(), hidden: [], isolate: true, readOnly: folders };
    const setting = (memoryMb: number): WorkerSetting => ({ ...base, memoryMb });
    const [first, second] = [await pool.take(setting(64)), await pool.take(setting(65))];
    pool.giveBack(setting(64), first);
    pool.giveBack(setting(65), second);
    const third = await pool.take(setting(66));
    await first.ended;
    expect([first.alive, second.alive, third.alive]).toEqual([false, true, true]);
  });
});
