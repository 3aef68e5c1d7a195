/** Servers and workers as processes: the same run as `woof run`, done elsewhere. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Account, lastJson, playbook, temporaryFolder, until } from '../cli/woof.ts';
import { ask, startServer, startWorker } from './machines.ts';

const HELLO = playbook(
  `- step: start
  tool: {kind: python, args: {who: "{{ workload.name }}"}, code: "print('at work')\\nresult = 'hello ' + who"}
  next: {arcs: [{step: each}]}
- step: each
  loop: {in: "{{ range(8) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 8}}
  tool: {kind: noop, result: "{{ n * 2 }}"}
`,
  'workload: {name: World}\n',
);

describe('many machines', () => {
  test('a server, two workers, and every verb about runs with --server', async () => {
    const cwd = temporaryFolder({
      'hello.yaml': HELLO,
      'local-run.yaml': HELLO.replace('workload:', 'executor: {profile: local}\nworkload:'),
      'local-loop.yaml': HELLO.replace('max_in_flight: 8', 'max_in_flight: 8, policy: {exec: local}'),
    });
    const server = await startServer(cwd);
    const first = await startWorker(server, cwd, '--slots', '2');
    const second = await startWorker(server, cwd, '--slots', '2');

    const ran = await ask(server, cwd, 'submit', 'hello.yaml', '--set', 'name=Ada', '--wait', '--json');
    expect(ran.status, ran.stderr).toBe(0);
    const account = lastJson<Account>(ran);
    expect(account.steps.start!.result).toBe('hello Ada');
    expect(account.steps.each!.result).toMatchObject({ results: [0, 2, 4, 6, 8, 10, 12, 14] });
    const id = account.execution_id;

    const json = async <T>(...args: string[]) => lastJson<T>(await ask(server, cwd, ...args, '--json'));
    expect(await json('runs')).toMatchObject([{ execution_id: id, status: 'succeeded', file: 'hello.yaml' }]);
    expect(await json('show', 'last')).toMatchObject({ ...account, workload: { name: 'Ada' } });
    expect(await json('why', id)).toMatchObject({ execution_id: id, reasons: [] });
    expect(await json('result', id, 'start')).toBe('hello Ada');
    expect(await json('logs', id)).toMatchObject({ step: 'start', stream: 'stdout', text: 'at work\n' });

    const events = (await ask(server, cwd, 'events', id, '--json', '--follow')).stdout.trimEnd().split('\n');
    const envelopes = events.map((line) => JSON.parse(line) as { seq: number; name: string; data: object });
    expect(envelopes.map(({ seq }) => seq)).toEqual(envelopes.map((_, index) => index + 1));
    expect(envelopes.at(-1)!.name).toBe('playbook.processed');
    const workers = envelopes.flatMap(({ name, data }) =>
      name === 'job.leased' ? [(data as { worker: string }).worker] : [],
    );
    expect(new Set(workers)).toEqual(new Set([first.id, second.id]));

    // The same, kept on one worker: the whole run, or the iterations of the loop.
    for (const file of ['local-run.yaml', 'local-loop.yaml']) {
      const local = lastJson<Account>(await ask(server, cwd, 'submit', file, '--wait', '--json'));
      expect(local.status).toBe('succeeded');
      const log = (await ask(server, cwd, 'events', local.execution_id, '--json')).stdout
        .trimEnd()
        .split('\n');
      const leased = log
        .map((line) => JSON.parse(line) as { name: string; step: string; data: { worker: string } })
        .filter(({ name, step }) => name === 'job.leased' && (step === 'each' || file === 'local-run.yaml'));
      expect(new Set(leased.map(({ data }) => data.worker)).size, file).toBe(1);
    }
  });

  test('woof up is both; nested playbooks come from the catalogue; large values come back whole', async () => {
    const nested = playbook(
      `- step: start\n  tool: {kind: noop, result: "{{ 'x' * workload.n }}"}`,
      'workload: {n: 3}\n',
    ).replace('name: test', 'name: nested, path: common/nested');
    const caller = playbook(
      '- step: start\n  tool: {kind: playbook, path: common/nested, args: {n: 100000}}',
    );
    const cwd = temporaryFolder({ 'nested.yaml': nested, 'caller.yaml': caller });
    const server = await startServer(cwd, { verb: 'up' });
    const missing = await ask(server, cwd, 'submit', 'caller.yaml', '--wait');
    expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining('common/nested') });
    const kept = await ask(server, cwd, 'submit', 'nested.yaml', '--register');
    expect(kept.stdout).toMatch(/^common\/nested@[0-9a-f]{32}\n$/);
    const ran = await ask(server, cwd, 'submit', 'caller.yaml', '--wait', '--json', '--key', 'once');
    expect(ran.status, ran.stderr).toBe(0);
    const { execution_id: id } = lastJson(ran);
    const again = await ask(server, cwd, 'submit', 'caller.yaml', '--json', '--key', 'once');
    expect(lastJson(again).execution_id).toBe(id);
    const whole = await ask(server, cwd, 'result', id, '--load', '--json');
    expect(lastJson<{ result: string }>(whole).result.length).toBe(100_000);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ status: 0 });
  });

  test('pause, resume, cancel and rerun from the command line', async () => {
    const cwd = temporaryFolder({
      'slow.yaml': playbook('- step: start\n  tool: {kind: wait, seconds: 3600}'),
    });
    const server = await startServer(cwd, { verb: 'up' });
    const { execution_id: id } = lastJson(await ask(server, cwd, 'submit', 'slow.yaml', '--json'));
    const said = async (...args: string[]) => lastJson<object>(await ask(server, cwd, ...args, '--json'));
    expect(await said('pause', id)).toEqual({ execution_id: id, ok: true, message: 'paused' });
    expect(await said('pause', id)).toMatchObject({ ok: false, message: 'the run is already paused' });
    expect(await said('resume', id)).toMatchObject({ ok: true });
    expect(await said('cancel', id, '--reason', 'enough')).toMatchObject({ ok: true });
    expect(await said('show', id)).toMatchObject({ status: 'cancelled', error: { message: 'enough' } });
    expect((await ask(server, cwd, 'resume', id)).status).toBe(1);
  });

  test('a notebook: its cells share a folder and a kernel on one worker, which outlives it', async () => {
    const notebook = `%WOOFNB 1.0
name: remote
language: python
parameters: {n: 3}
io_policy: {allow_files: true}

\`\`\`cell id=one type=code
x = parameters["n"] * 2
\`\`\`

\`\`\`cell id=two type=code deps=one sidefx=fs
open("out.txt", "w").write(str(x))
print(open("out.txt").read())
\`\`\`
`;
    const cwd = temporaryFolder({ 'a.woofnb': notebook });
    const server = await startServer(cwd);
    const worker = await startWorker(server, cwd);
    for (const n of [5, 7]) {
      const ran = await ask(server, cwd, 'submit', 'a.woofnb', '--wait', '--set', `n=${n}`, '--json');
      expect(ran.status, ran.stderr).toBe(0);
      const logs = await ask(server, cwd, 'logs', lastJson(ran).execution_id);
      expect(logs.stdout).toContain(`two | ${n * 2}`);
    }
    const folder = join(cwd, 'worker-data', 'workers', worker.id);
    await until('the folders are gone', () => readdirSync(folder).length === 0);
    expect(worker.child.exitCode).toBeNull();
  });

  test('asked to stop, worker and server end with status 0 and leave nothing behind', async () => {
    const cwd = temporaryFolder({ 'hello.yaml': HELLO });
    const server = await startServer(cwd);
    const worker = await startWorker(server, cwd);
    expect((await ask(server, cwd, 'submit', 'hello.yaml', '--wait')).status).toBe(0);
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ status: 0 });
    expect(readdirSync(join(cwd, 'worker-data', 'workers'))).toEqual([]);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ status: 0 });
    expect(statSync(join(cwd, 'data', 'server.json')).mode & 0o777).toBe(0o600);
  });
});
