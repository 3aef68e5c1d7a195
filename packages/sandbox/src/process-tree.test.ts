/** Nothing outlives the program, whatever it tries, and its control groups and descriptors are gone as well. */

import { readdirSync } from 'node:fs';
import { describeUnless } from '@woof/testkit';
import { afterAll, expect, it, vi } from 'vitest';
import { type Defence, Folder, spec, whyNot } from './attempt.ts';
import { ownHierarchies } from './cgroup-hierarchies.ts';
import { killMarked } from './kill-marked.ts';
import { LimitGroup } from './limit-group.ts';
import { spawnSandboxed } from './spawn-sandboxed.ts';

const reason = await whyNot();

/** Forks twice, leaves its session and group, keeps descriptor 3 open and writes its process id to it. */
const DAEMON = `import os, time
told, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(3, str(os.getpid()).encode())
        os.write(tell, b'x')
        time.sleep(1000)
    os._exit(0)
os.wait()
os.read(told, 1)
`;
const FOREVER = `${DAEMON}time.sleep(1000)`;

/** Without a sandbox, only a control group can find a process that left its session. */
const group = LimitGroup.create({ processes: 10 });
if (!group) console.warn('not tried: control groups, which this user may not create');
await group?.remove();

const defences: [string, Defence][] = [
  ['the sandbox', {}],
  ['the sandbox without control groups', { cgroups: false }],
  ...(group ? [['a control group without the sandbox', { isolate: false }] as [string, Defence]] : []),
];

describeUnless(reason)('the process tree', () => {
  const folder = new Folder(true);
  afterAll(() => folder.remove());

  function start(code: string, { cgroups, ...defence }: Defence) {
    const stdio: Defence['stdio'] = ['ignore', 'ignore', 'inherit', 'pipe'];
    const options = cgroups === undefined ? {} : { cgroups };
    const started = spawnSandboxed(spec(folder, code, { ...defence, stdio }), options);
    const pipe = started.child.stdio[3] as NodeJS.ReadableStream;
    const daemon = new Promise<number>((resolve) => pipe.once('data', (chunk) => resolve(Number(chunk))));
    const gone = new Promise((resolve) => pipe.once('end', resolve));
    return { ...started, daemon, gone };
  }

  it('finds a daemon by its environment if nothing else does', async () => {
    const env = { WOOF_TEST_MARK: `m${process.pid}` };
    const { exited, gone } = start(DAEMON, { isolate: false, cgroups: false, env });
    await exited;
    await killMarked('WOOF_TEST_MARK', `x${env.WOOF_TEST_MARK}`);
    await killMarked('WOOF_TEST_MARK', env.WOOF_TEST_MARK);
    await gone;
  });

  it('leaves a daemon behind only if every defence is off', async () => {
    const { exited, daemon } = start(DAEMON, { isolate: false, cgroups: false });
    const pid = await daemon;
    await exited;
    expect(process.kill(pid, 0)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  it.each(defences)('ends a daemon with the program, with %s', async (_name, defence) => {
    const { exited, daemon, gone } = start(DAEMON, defence);
    await daemon;
    await exited;
    await gone;
  });

  it.each(defences)('kills everything at once, with %s', async (_name, defence) => {
    const { exited, daemon, gone, kill } = start(FOREVER, defence);
    await daemon;
    kill();
    expect(await exited).toMatchObject({ signal: 'SIGKILL' });
    await gone;
  });

  it('removes its control groups', async () => {
    await start(DAEMON, { memoryMb: 64 }).exited;
    const left = () =>
      Object.values(ownHierarchies() as Record<string, string>)
        .flatMap((parent) => readdirSync(parent))
        .filter((name) => name.startsWith(`woof-${process.pid}-`));
    await vi.waitUntil(() => left().length === 0, { timeout: 500_000 });
  });
});
