/** Isolation, output floods, full disks, very long blocks. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, Outcome } from '@woof/net';
import { describeUnless, itUnless } from '@woof/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { whyNot } from '../code-case.ts';
import { ExecCase } from './exec-case.ts';

const block = new ExecCase();
afterAll(() => block.remove());
const sh = (script: string, more: JsonObject = {}) => ({ program: 'sh', args: ['-c', script], ...more });

describeUnless(await whyNot())('sandbox: true', () => {
  chmodSync(block.root, 0o755);
  chmodSync(block.workdir, 0o777);
  const secret = join(block.root, 'secret');
  writeFileSync(secret, 'the secret');
  const attack = (more: JsonObject) =>
    block.run({
      allow_shell: true,
      halt_on_error: false,
      commands: [sh(`cat ${secret}; echo mine > kept`)],
      ...more,
    });
  const shell = { allow_shell: true, allow_files: true };

  it('shows only the working directory', async () => {
    const open = await attack({});
    expect(block.read(open, 'cmd-000.stdout.log')).toBe('the secret');
    unlinkSync(join(block.workdir, 'kept'));
    const caged = await attack({ sandbox: true, io_policy: shell });
    expect(block.read(caged, 'cmd-000.stdout.log')).toBe('');
    expect(existsSync(join(block.workdir, 'kept'))).toBe(true);
  });

  it('grants nothing that io_policy does not, and has its own environment', async () => {
    const outcome = await block.run({ sandbox: true, commands: [{ program: 'ls' }] });
    expect(block.read(outcome, 'cmd-000.stdout.log')).toBe('');
    const env = await block.run({ sandbox: true, env: { A: '1' }, commands: [{ program: 'env' }] });
    expect(block.read(env, 'cmd-000.stdout.log')).toMatch(/^A=1$/m);
    expect(block.read(env, 'cmd-000.stdout.log')).toMatch(/^HOME=\/tmp$/m);
  });

  it('keeps the working directory inside the document’s folder', async () => {
    const outcome = (await block.run({
      sandbox: true,
      workdir: '..',
      commands: [{ program: 'true' }],
    })) as Outcome;
    expect(outcome.error).toMatchObject({
      kind: 'schema',
      message: expect.stringMatching(/inside the document’s folder/),
    });
  });

  it('ends everything at a timeout', async () => {
    const commands = [sh('setsid sleep 1000 & sleep 1000', { timeout_sec: 0.3 })];
    const outcome = await block.run({ sandbox: true, io_policy: shell, allow_shell: true, commands });
    expect(outcome).toMatchObject({ result: { commands: [{ status: 'timed_out' }] } });
  });
});

describe('output', () => {
  it('is kept complete while memory stays small and the log view is bounded', async () => {
    const size = 300 * 1024 * 1024;
    const before = process.memoryUsage().rss;
    let peak = 0;
    let shown = 0;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 10);
    const log = (_stream: string, text: string) => {
      shown += text.length;
    };
    const commands = [{ program: 'head', args: ['-c', String(size), '/dev/zero'] }];
    const outcome = await block.run({ commands }, {}, { log });
    clearInterval(timer);
    expect(statSync(join(block.bundle(outcome), 'cmd-000.stdout.log')).size).toBe(size);
    expect(shown).toBeLessThan(11 * 1024 * 1024);
    expect(peak - before).toBeLessThan(100 * 1024 * 1024);
  });
});

describe('a full disk', () => {
  const MOUNT = 'mount';
  const mounts = process.getuid?.() === 0 && spawnSync(MOUNT, ['--version']).status === 0;
  const small = join(block.root, 'small');

  itUnless(mounts ? undefined : 'only root can mount a small file system')(
    'fails the block with a clear message, and nothing half-written remains',
    async () => {
      mkdirSync(small);
      const mounted = spawnSync(MOUNT, ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', small]);
      if (mounted.status !== 0) return console.warn(`not tried: ${mounted.stderr}`);
      try {
        const full = new ExecCase({ runs: join(small, 'runs') });
        const outcome = (await full.run(
          { commands: [{ program: 'head', args: ['-c', '10000000', '/dev/zero'] }] },
          { executionId: 'full' },
        )) as Outcome;
        expect(outcome.error).toMatchObject({
          kind: 'storage',
          message: expect.stringMatching(/disk is full \(ENOSPC\)/),
        });
        const left = readdirSync(join(small, 'runs', 'full', 's1'));
        expect(left.filter((name) => name.endsWith('.partial'))).toEqual([]);
        await full.remove();
      } finally {
        execFileSync(`u${MOUNT}`, [small]);
      }
    },
  );
});

it('handles ten thousand commands, most of which are skipped', async () => {
  const commands = [{ program: 'false' }, ...Array.from({ length: 9_999 }, () => ({ program: 'true' }))];
  const outcome = (await block.run({ commands })) as Outcome;
  expect(outcome.error).toMatchObject({ code: 1 });
  expect(block.manifest(outcome).commands).toHaveLength(10_000);
});
