import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { openDatabase, SqliteStore } from '@woof/stores';
import { describe, expect, test } from 'vitest';
import { abandon } from '../../packages/engine/src/abandon.ts';
import { startEffectServer } from './effect-server.ts';
import {
  lastJson,
  playbook,
  root,
  runWoof,
  socketsOf,
  start,
  startWoof,
  temporaryFolder,
  until,
} from './woof.ts';

/** Three effects in one pipeline; the second waits until the test releases it. */
const pipeline = playbook(
  `- step: start
  tool:
    - first: {kind: http, url: "{{ workload.url }}/count/first"}
    - second: {kind: http, url: "{{ workload.url }}/hold/second"}
    - third: {kind: http, url: "{{ workload.url }}/count/third"}
  next: {arcs: [{step: after}]}
- step: after
  tool: {kind: http, url: "{{ workload.url }}/count/after"}
`,
  'workload: {url: ""}\n',
);

async function startPipeline(...flags: string[]) {
  const server = await startEffectServer();
  const cwd = temporaryFolder({ 'a.yaml': pipeline });
  const running = startWoof(['run', 'a.yaml', '--set', `url=${server.url}`, ...flags], { cwd });
  await until('the second task is under way', () => server.count('/hold/second') === 1);
  return { server, cwd, running, woof: (...args: string[]) => runWoof(args, { cwd }) };
}

describe('an interrupted run', () => {
  test('kill -9 in the middle of a pipeline: resume repeats no finished task', async () => {
    const { server, running, woof } = await startPipeline();
    running.child.kill('SIGKILL');
    await running.ended;
    expect((await woof('show', 'last')).stdout).toContain('no process drives the run');
    expect((await woof('why', 'last')).stdout).toContain('woof resume');
    server.release('second');
    const resumed = await woof('resume', 'last', '--json');
    expect(resumed.status).toBe(0);
    expect(lastJson(resumed)).toMatchObject({
      status: 'succeeded',
      steps: { start: { runs: 1 }, after: { runs: 1 } },
    });
    const counts = ['/count/first', '/hold/second', '/count/third', '/count/after'].map(server.count);
    expect(counts).toEqual([1, 2, 1, 1]);
  });

  test('Ctrl-C: status 130, the command to resume, and resuming', async () => {
    const { server, running, woof } = await startPipeline();
    running.child.kill('SIGINT');
    const stopped = await running.ended;
    expect(stopped.status).toBe(130);
    expect(stopped.stdout).toBe('');
    const command = /woof (resume \S+)/.exec(stopped.stderr)?.[1]?.split(' ') ?? [];
    server.release('second');
    expect((await woof(...command)).status).toBe(0);
    expect([server.count('/count/first'), server.count('/count/third')]).toEqual([1, 1]);
  });

  test('Ctrl-C with --json: the account says how far it got', async () => {
    const { running } = await startPipeline('--json');
    running.child.kill('SIGINT');
    expect(lastJson(await running.ended)).toMatchObject({
      status: 'running',
      steps: { start: { status: 'running' } },
    });
  });

  test('Ctrl-C ends a long chain of quick steps soon', async () => {
    const text = playbook(
      '- step: start\n  loop: {in: "{{ range(200000) | list }}", iterator: i}\n  tool: {kind: noop, result: 1}\n',
    );
    const cwd = temporaryFolder({ 'a.yaml': text });
    const running = startWoof(['run', 'a.yaml'], { cwd });
    await until('it runs', () => socketsOf(join(cwd, '.woof')).length > 0);
    running.child.kill('SIGTERM');
    expect((await running.ended).status).toBe(130);
    const { steps } = lastJson<{ steps: { start: { stats: { succeeded: number } } } }>(
      await runWoof(['show', 'last', '--json'], { cwd }),
    );
    expect(steps.start.stats.succeeded).toBeLessThan(200_000);
  });

  test('a loop that was killed continues where it was', async () => {
    const server = await startEffectServer();
    const text = playbook(
      `- step: start
  loop: {in: [a, b, c, d], iterator: name}
  tool: {kind: http, url: "{{ workload.url }}/{{ 'hold' if name == 'c' else 'count' }}/{{ name }}"}
`,
      'workload: {url: ""}\n',
    );
    const cwd = temporaryFolder({ 'a.yaml': text });
    const running = startWoof(['run', 'a.yaml', '--set', `url=${server.url}`], { cwd });
    await until('the third iteration is under way', () => server.count('/hold/c') === 1);
    running.child.kill('SIGKILL');
    await running.ended;
    server.release('c');
    const resumed = lastJson<{ steps: { start: { result: { stats: unknown } } } }>(
      await runWoof(['resume', 'last', '--json'], { cwd }),
    );
    expect(resumed.steps.start.result.stats).toEqual({ total: 4, succeeded: 4, failed: 0 });
    expect(['/count/a', '/count/b', '/count/d'].map(server.count)).toEqual([1, 1, 1]);
  });

  test('resume of a run that has ended, and of an unknown one', async () => {
    const cwd = temporaryFolder({ 'a.yaml': playbook('- step: start\n  tool: {kind: noop}\n') });
    await runWoof(['run', 'a.yaml'], { cwd });
    const ended = await runWoof(['resume', 'last'], { cwd });
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('woof rerun') });
    for (const verb of ['resume', 'pause', 'cancel']) {
      const said = await runWoof([verb, 'last', '--json'], { cwd });
      expect(said.status).toBe(1);
      expect(lastJson(said)).toMatchObject({
        execution_id: expect.any(String),
        ok: false,
        message: expect.stringContaining('the run has ended'),
      });
    }
    for (const verb of ['pause', 'cancel'])
      expect(await runWoof([verb, 'last'], { cwd })).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^error: the run has ended: (\S+)\n {2}fix: see: woof show \1\n$/),
      });
    expect((await runWoof(['resume', 'zzz'], { cwd })).status).toBe(2);
  });
});

describe('several processes in one data directory', () => {
  test('another run ends beside one that waits; verbs reach the process of the run that they name', async () => {
    const { server, cwd, running, woof } = await startPipeline();
    const text = playbook('- step: start\n  tool: {kind: noop, result: 1}\n');
    const beside = temporaryFolder({ 'b.yaml': text });
    const second = await runWoof(['run', join(beside, 'b.yaml'), '--json'], { cwd });
    expect(lastJson(second).status).toBe('succeeded');
    const third = startWoof(['run', 'a.yaml', '--json', '--set', `url=${server.url}`], { cwd });
    await until('both wait', () => server.count('/hold/second') === 2);
    const waiting = lastJson<{ execution_id: string }[]>(await woof('runs', '--status', 'running', '--json'));
    expect((await woof('runs')).stdout).not.toContain('interrupted');
    expect((await woof('cancel', waiting[0]!.execution_id)).status).toBe(0);
    expect(lastJson(await third.ended)).toMatchObject({
      execution_id: waiting[0]!.execution_id,
      status: 'cancelled',
    });
    server.release('second');
    expect((await running.ended).status).toBe(0);
    expect([server.count('/count/third'), server.count('/count/after')]).toEqual([1, 1]);
  });

  test('kill -9 of one harms no other; of two that resume its run, one gets it, and the other says so', async () => {
    const { server, cwd, running, woof } = await startPipeline('--json');
    const killed = startWoof(['run', 'a.yaml', '--set', `url=${server.url}`], { cwd });
    await until('both wait', () => server.count('/hold/second') === 2);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const [newest] = lastJson<{ execution_id: string }[]>(await woof('runs', '--json'));
    const id = newest!.execution_id;
    expect((await woof('show', id)).stdout).toContain('no process drives the run');
    const resumed = [1, 2].map(() => startWoof(['resume', id, '--json'], { cwd }));
    const first = await Promise.race(resumed.map(({ ended }) => ended));
    expect(first.status).toBe(1);
    expect(lastJson<{ message: string }>(first).message).toContain('is already running');
    server.release('second');
    const ends = await Promise.all([running, ...resumed].map(({ ended }) => ended));
    expect(ends.map(({ status }) => status).sort()).toEqual([0, 0, 1]);
    expect([server.count('/count/first'), server.count('/count/third')]).toEqual([2, 2]);
  });

  test('a driver that a row names and no process has is gone, whatever it is called', async () => {
    const { cwd, running, woof } = await startPipeline();
    running.child.kill('SIGKILL');
    await running.ended;
    const bystander = join(cwd, 'bystander.sock');
    writeFileSync(bystander, '');
    const name = 'local-1-../../../bystander';
    const database = openDatabase(join(cwd, '.woof', 'woof.db'));
    database.exec(`UPDATE executions SET driver = '${name}', row = json_set(row, '$.driver', '${name}')`);
    database.close();
    expect((await woof('cancel', 'last')).status).toBe(0);
    expect(existsSync(bystander)).toBe(true);
  });
});

describe('a full disk', () => {
  /** `ulimit -f` makes the kernel refuse to grow files, as a full disk does, with EFBIG in place of ENOSPC. */
  test('ends the run with a message and status 1; what was acknowledged continues later', async () => {
    const text = playbook(
      '- step: start\n  loop: {in: "{{ range(20000) | list }}", iterator: i}\n  tool: {kind: noop, result: "{{ i }}"}\n',
    );
    const cwd = temporaryFolder({ 'a.yaml': text });
    const command = `ulimit -f 2000; trap '' XFSZ; exec "$0" "$@"`;
    const args = ['-c', command, process.execPath, join(root, 'bin', 'woof'), 'run', 'a.yaml', '--quiet'];
    const failed = await start('bash', args, { cwd }).ended;
    expect(failed.status).toBe(1);
    expect(failed.stderr).toMatch(/error: the disk of the data directory is full or failing/);
    expect(failed.stderr).toMatch(/woof resume \d{8}-/);
    expect(failed.stderr).not.toMatch(/^\s+at /m);
    const { steps } = lastJson<{ steps: { start: { stats: { succeeded: number } } } }>(
      await runWoof(['show', 'last', '--json'], { cwd }),
    );
    expect(steps.start.stats.succeeded).toBeGreaterThan(0);
    const resumed = lastJson(await runWoof(['resume', 'last', '--json'], { cwd }));
    expect(resumed.status).toBe('succeeded');
  });
});

describe('a nested run that was left when its outermost run ended', () => {
  /** Killed between the end of the caller and that of what it called. */
  async function leave() {
    const server = await startEffectServer();
    const call = 'tool: {kind: playbook, path: inner.yaml, args: {url: "{{ workload.url }}"}}';
    const cwd = temporaryFolder({
      'outer.yaml': playbook(`- step: start\n  ${call}\n`, 'workload: {url: ""}\n'),
      'inner.yaml': playbook(
        '- step: start\n  tool: {kind: http, url: "{{ workload.url }}/hold/inner"}\n',
        'workload: {url: ""}\n',
      ),
    });
    const running = startWoof(['run', 'outer.yaml', '--set', `url=${server.url}`], { cwd });
    await until('the nested run is under way', () => server.count('/hold/inner') === 1);
    running.child.kill('SIGKILL');
    await running.ended;
    const store = new SqliteStore(join(cwd, '.woof', 'woof.db'));
    const [outer] = await store.executions({ roots: true });
    const [inner] = await store.executions({ parent: outer!.execution_id });
    const why = { kind: 'unknown', retryable: false, message: 'it failed' } as const;
    await abandon(store, outer!.execution_id, why, Date.now());
    await store.close();
    return {
      ids: { outer: outer!.execution_id, inner: inner!.execution_id },
      woof: (...args: string[]) => runWoof(args, { cwd }),
      server,
    };
  }

  test.each(['inner', 'outer'] as const)('ends when the %s run is resumed', async (which) => {
    const { ids, woof, server } = await leave();
    const resumed = await woof('resume', ids[which]);
    expect(resumed.stderr).toMatch(which === 'inner' ? /cancelled in/ : /failed in/);
    expect((await woof('show', ids.inner)).stdout).toContain(`its caller ${ids.outer} ended`);
    expect(server.count('/hold/inner')).toBe(1);
    const again = await woof('resume', ids[which]);
    expect(again.stderr).toContain('has ended');
  });
});
