import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startEffectServer } from './effect-server.ts';
import { lastJson, playbook, runWoof, socketsOf, startWoof, temporaryFolder, until } from './woof.ts';

const held = playbook(
  `- step: start
  tool: {kind: http, url: "{{ workload.url }}/hold/start"}
  next: {arcs: [{step: after}]}
- step: after
  tool: {kind: http, url: "{{ workload.url }}/count/after"}
`,
  'workload: {url: ""}\n',
);

async function startHeld(extra: string[] = []) {
  const server = await startEffectServer();
  const cwd = temporaryFolder({ 'a.yaml': held });
  const running = startWoof(['run', 'a.yaml', '--json', '--set', `url=${server.url}`, ...extra], { cwd });
  await until('the first task is under way', () => server.count('/hold/start') === 1);
  const woof = (...args: string[]) => runWoof([...args, ...extra], { cwd });
  return { server, cwd, running, woof };
}

const statusOf = async (woof: (...args: string[]) => ReturnType<typeof runWoof>) =>
  lastJson(await woof('show', 'last', '--json')).status;

describe('from a second terminal', () => {
  test('pause: running tasks end, nothing else starts; resume continues from there', async () => {
    const { server, running, woof } = await startHeld();
    expect(await woof('pause', 'last')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('paused'),
    });
    expect(await woof('pause', 'last')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('already paused'),
    });
    server.release('start');
    await until('the first step has ended', async () =>
      (await woof('events', 'last')).stdout.includes('step.done'),
    );
    expect(await statusOf(woof)).toBe('paused');
    expect((await woof('why', 'last')).stdout).toContain('the run is paused');
    expect(server.count('/count/after')).toBe(0);
    expect(await woof('resume', 'last')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('resumed'),
    });
    const ended = await running.ended;
    expect(ended.status).toBe(0);
    expect(lastJson(ended).status).toBe('succeeded');
    expect(server.count('/count/after')).toBe(1);
  });

  test('cancel: the run ends now, with its reason', async () => {
    const { running, woof } = await startHeld();
    expect((await woof('cancel', 'last', '--reason', 'wrong file')).status).toBe(0);
    const ended = await running.ended;
    expect(ended.status).toBe(1);
    expect(lastJson(ended)).toMatchObject({ status: 'cancelled', error: { message: 'wrong file' } });
    expect(await woof('cancel', 'last')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('has ended'),
    });
  });

  test('the socket is private and goes with the process', async () => {
    const { cwd, running, woof } = await startHeld();
    const data = join(cwd, '.woof');
    await until('it listens', () => socketsOf(data).length > 0);
    expect(statSync(socketsOf(data)[0]!).mode & 0o777).toBe(0o600);
    await woof('cancel', 'last');
    await running.ended;
    expect(readdirSync(join(data, 'drivers'))).toEqual([]);
  });

  describe('a data directory with a long path', () => {
    async function startDeep() {
      const deep = join(temporaryFolder(), 'a-rather-long-name-of-a-folder/'.repeat(5));
      mkdirSync(deep, { recursive: true });
      const started = await startHeld(['--data', deep]);
      const drivers = join(deep, 'drivers');
      const told = () => {
        const name = readdirSync(drivers).find((name) => name.endsWith('.path'));
        return name === undefined ? '' : readFileSync(join(drivers, name), 'utf8');
      };
      await until('it says where it listens', () => told().endsWith('\n'));
      const address = told().trim();
      await until('it listens', () => existsSync(address));
      return { ...started, address };
    }

    test('has its socket elsewhere, private, until the process ends', async () => {
      const { address, running, woof } = await startDeep();
      expect(Buffer.byteLength(address)).toBeLessThan(100);
      expect(statSync(address).mode & 0o777).toBe(0o600);
      expect((await woof('cancel', 'last')).status).toBe(0);
      expect((await running.ended).status).toBe(1);
      expect(readdirSync(dirname(address))).not.toContain(basename(address));
    });

    test('and the socket of a killed process goes when its run is taken over', async () => {
      const { address, running, woof } = await startDeep();
      running.child.kill('SIGKILL');
      await running.ended;
      expect(existsSync(address)).toBe(true);
      expect((await woof('cancel', 'last')).status).toBe(0);
      expect(existsSync(address)).toBe(false);
    });
  });

  test('pausing a caller pauses the runs that it called', async () => {
    const server = await startEffectServer();
    const caller = playbook(
      '- step: start\n  tool: {kind: playbook, path: a.yaml, args: {url: "{{ workload.url }}"}}\n',
      'workload: {url: ""}\n',
    );
    const cwd = temporaryFolder({ 'a.yaml': held, 'caller.yaml': caller });
    const running = startWoof(['run', 'caller.yaml', '--json', '--set', `url=${server.url}`], { cwd });
    const woof = (...args: string[]) => runWoof(args, { cwd });
    await until('the nested task is under way', () => server.count('/hold/start') === 1);
    expect((await woof('pause', 'last')).status).toBe(0);
    const statuses = lastJson<{ status: string }[]>(await woof('runs', '--all', '--json')).map(
      ({ status }) => status,
    );
    expect(statuses).toEqual(['paused', 'paused']);
    server.release('start');
    expect((await woof('resume', 'last')).status).toBe(0);
    expect((await running.ended).status).toBe(0);
    expect(server.count('/count/after')).toBe(1);
  });
});

describe('with no process left', () => {
  async function killed() {
    const started = await startHeld();
    await until('it listens', () => socketsOf(join(started.cwd, '.woof')).length > 0);
    started.running.child.kill('SIGKILL');
    await started.running.ended;
    return started;
  }

  test('cancel writes to the log itself; the stale socket does not matter', async () => {
    const { cwd, woof } = await killed();
    expect(socketsOf(join(cwd, '.woof'))).toHaveLength(1);
    expect(await woof('cancel', 'last')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('cancelled'),
    });
    expect(await statusOf(woof)).toBe('cancelled');
    expect(readdirSync(join(cwd, '.woof', 'drivers'))).toEqual([]);
    expect((await woof('resume', 'last')).status).toBe(1);
  });

  test('pause, then resume here', async () => {
    const { server, woof } = await killed();
    expect((await woof('pause', 'last')).status).toBe(0);
    expect(await statusOf(woof)).toBe('paused');
    server.release('start');
    const resumed = await woof('resume', 'last', '--json');
    expect(resumed.status).toBe(0);
    expect(lastJson(resumed).status).toBe('succeeded');
    expect(server.count('/count/after')).toBe(1);
  });

  test('another run of the directory continues meanwhile, and resume continues this one beside it', async () => {
    const { server, cwd, woof } = await killed();
    const [old] = lastJson<{ execution_id: string }[]>(await woof('runs', '--json'));
    const second = startWoof(['run', 'a.yaml', '--json', '--set', `url=${server.url}`], { cwd });
    await until('the second run is under way', () => server.count('/hold/start') === 2);
    const resumed = startWoof(['resume', old!.execution_id, '--json'], { cwd });
    await until('the first goes on', () => server.count('/hold/start') === 3);
    server.release('start');
    const ends = await Promise.all([second.ended, resumed.ended]);
    expect(ends.map((end) => lastJson(end).status)).toEqual(['succeeded', 'succeeded']);
    expect(server.count('/count/after')).toBe(2);
  });
});
