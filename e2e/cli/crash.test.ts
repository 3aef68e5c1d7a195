import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startEffectServer } from './effect-server.ts';
import { lastJson, playbook, root, runWoof, start, startWoof, temporaryFolder, until } from './woof.ts';

/** Three effects in one pipeline, of which the second waits to be let through. */
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
  test('kill -9 in the middle of a pipeline: resume does no finished task again', async () => {
    const { server, running, woof } = await startPipeline();
    running.child.kill('SIGKILL');
    await running.ended;
    expect((await woof('show', 'last')).stdout).toContain('no process drives it');
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

  test('Ctrl-C: status 130, the command to go on, and going on', async () => {
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

  test('Ctrl-C with --json: the account says how far it came', async () => {
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
    await until('it runs', () => existsSync(join(cwd, '.woof', 'control.sock')));
    running.child.kill('SIGTERM');
    expect((await running.ended).status).toBe(130);
    const { steps } = lastJson<{ steps: { start: { stats: { succeeded: number } } } }>(
      await runWoof(['show', 'last', '--json'], { cwd }),
    );
    expect(steps.start.stats.succeeded).toBeLessThan(200_000);
  });

  test('a loop that was killed goes on where it was', async () => {
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
    expect((await runWoof(['resume', 'zzz'], { cwd })).status).toBe(2);
  });
});

describe('a second writer', () => {
  test('is refused with the pid of the first, status 1; readers are not', async () => {
    const { running, woof } = await startPipeline();
    const second = await woof('run', 'a.yaml');
    expect(second.status).toBe(1);
    expect(second.stderr).toContain(`another woof process (pid ${running.child.pid}) is writing`);
    expect(second.stderr).toContain('--data DIR');
    expect((await woof('runs')).status).toBe(0);
  });
});

describe('a full disk', () => {
  /** `ulimit -f` makes the kernel refuse to grow files, as a full disk does, with EFBIG in place of ENOSPC. */
  test('ends the run with a message and status 1; what was acknowledged goes on later', async () => {
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
