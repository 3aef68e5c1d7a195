/** Exec blocks on other workers: files are transferred, evidence stays, a lost worker's block starts again. */
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@woof/client';
import { expect, test } from 'vitest';
import { type Account, lastJson, temporaryFolder, until } from '../cli/woof.ts';
import { ask, startServer, startWorker } from '../server/machines.ts';

const bundlesOf = (cwd: string) => join(cwd, 'worker-data', 'runs');

async function machines(document: object) {
  const cwd = temporaryFolder({ 'a.workflow.json': JSON.stringify({ name: 'a', edges: [], ...document }) });
  const server = await startServer(cwd);
  const submit = (...more: string[]) => ask(server, cwd, 'submit', 'a.workflow.json', '--json', ...more);
  const worker = async (...more: string[]) => {
    const folder = temporaryFolder();
    return { folder, ...(await startWorker(server, folder, ...more)) };
  };
  return { server, cwd, submit, worker };
}

test('the files of a stage reach a stage on another machine; each keeps its own bundles', async () => {
  const { submit, worker } = await machines({
    stages: [
      {
        stage_id: 'make',
        labels: { box: 'a' },
        commands: [{ program: 'sh', args: ['-c', 'mkdir out; printf thing > out/x; pwd'] }],
        allow_shell: true,
        outputs: ['out/*'],
      },
      {
        stage_id: 'use',
        labels: { box: 'b' },
        deps: ['make'],
        commands: [{ program: 'cat', args: ['inputs/make/out/x'] }],
      },
    ],
  });
  const a = await worker('--labels', 'box=a');
  const b = await worker('--labels', 'box=b');
  const ran = await submit('--wait');
  expect(ran.status, ran.stderr).toBe(0);
  const { execution_id: id } = lastJson<Account>(ran);
  expect(readdirSync(join(bundlesOf(a.folder), id))).toEqual(['make']);
  expect(readdirSync(join(bundlesOf(b.folder), id))).toEqual(['use']);
  expect(readFileSync(join(bundlesOf(b.folder), id, 'use', '1', 'cmd-000.stdout.log'), 'utf8')).toBe('thing');
});

test('a killed worker loses nothing: its block starts again elsewhere, and succeeds once', async () => {
  const marks = temporaryFolder();
  const begun = join(marks, 'begun');
  const script = `echo $$ >> ${begun}; test $(wc -l < ${begun}) -gt 1 || sleep 1000`;
  const { submit, worker, server, cwd } = await machines({
    stages: [{ stage_id: 'work', commands: [{ program: 'sh', args: ['-c', script] }], allow_shell: true }],
  });
  const first = await worker();
  const running = submit('--wait');
  await until('the command runs', () => existsSync(begun) && readFileSync(begun, 'utf8').endsWith('\n'));
  first.child.kill('SIGKILL');
  await first.ended;
  const [run = ''] = readdirSync(bundlesOf(first.folder));
  const left = join(bundlesOf(first.folder), run, 'work', '1.partial', 'manifest.json');
  expect(JSON.parse(readFileSync(left, 'utf8'))).toMatchObject({
    run_id: run,
    stage_id: 'work',
    bundle_root: join(bundlesOf(first.folder), run, 'work', '1'),
    executor: 'local',
    slurm_job_id: null,
    extra_files: ['meta/env.json', 'meta/repo.txt'],
    started_at_ms: expect.any(Number),
    finished_at_ms: null,
    status: 'running',
    error: null,
    commands: [
      { index: 0, program: 'sh', status: 'running', exit_code: null, stdout_path: 'cmd-000.stdout.log' },
    ],
  });
  await worker();
  const ran = await running;
  expect(ran.status, ran.stderr).toBe(0);
  const [pid = ''] = readFileSync(begun, 'utf8').split('\n');
  expect(existsSync(`/proc/${pid}/exe`)).toBe(false);
  const events = (await ask(server, cwd, 'events', 'last', '--json')).stdout;
  expect(events.match(/"name":"step.done"/g)).toHaveLength(1);
  expect(events).toContain('"name":"job.expired"');
});

test('the rules of the server and of the worker count: neither allows what the other blocks', async () => {
  const noProgram = (program: string) =>
    `rules: [{id: no-${program}, decision: block, program: "${program}", reason: because}]\n`;
  const named = ['uname', 'whoami', 'id'].map((program) => ({ stage_id: program, commands: [{ program }] }));
  const cwd = temporaryFolder({ 'a.workflow.json': JSON.stringify({ name: 'a', stages: named, edges: [] }) });
  mkdirSync(join(cwd, 'data'));
  writeFileSync(join(cwd, 'data', 'policy.yaml'), noProgram('uname'));
  const server = await startServer(cwd);
  const submitted = await ask(server, cwd, 'submit', 'a.workflow.json', '--json');
  const { execution_id: id } = lastJson<Account>(submitted);
  expect(submitted.stderr).toContain('workflow/policy-blocked');
  expect(submitted.stderr).toContain('rule no-uname');
  const account = async () => lastJson<Account>(await ask(server, cwd, 'show', id, '--json'));

  // There is no worker yet: only the server has judged, and what it blocks has no job.
  const client = new Client(server);
  const params = { id };
  const stages = async () => {
    const { steps } = await client.call('executions.get', { params });
    return Object.fromEntries(Object.entries(steps).map(([name, { status }]) => [name, status]));
  };
  const jobs = async () => {
    const { jobs: all } = await client.call('executions.jobs', { params });
    return Object.fromEntries(all.map(({ step, status, lease }) => [step, [status, lease?.owner ?? null]]));
  };
  expect(await stages()).toEqual({ uname: 'needs_human', whoami: 'pending', id: 'pending' });
  expect(await jobs()).toEqual({ whoami: ['queued', null], id: ['queued', null] });
  const alone = await ask(server, cwd, 'approve', id, 'uname');
  expect([alone.status, alone.stderr]).toEqual([1, expect.stringContaining('--override')]);
  expect(await stages()).toMatchObject({ uname: 'needs_human' });

  const folder = temporaryFolder();
  mkdirSync(join(folder, 'worker-data'));
  writeFileSync(join(folder, 'worker-data', 'policy.yaml'), noProgram('whoami'));
  await startWorker(server, folder);
  await until('all that may run has', async () => (await account()).status === 'needs_human');
  expect(Object.entries((await account()).steps).map(([name, { status }]) => [name, status])).toEqual([
    ['uname', 'needs_human'],
    ['whoami', 'needs_human'],
    ['id', 'succeeded'],
  ]);
  expect(await jobs()).toEqual({ whoami: ['queued', null], id: ['succeeded', null] });
  expect((await ask(server, cwd, 'why', id)).stdout).toContain('rule no-uname');
  await ask(server, cwd, 'approve', id, 'uname', '--override');
  await ask(server, cwd, 'reject', id, 'whoami');
  await until('the override let it run', () => existsSync(join(bundlesOf(folder), id, 'uname', '1')));
  const manifest = readFileSync(join(bundlesOf(folder), id, 'uname', '1', 'manifest.json'), 'utf8');
  expect(JSON.parse(manifest)).toMatchObject({
    status: 'succeeded',
    policy: { decision: 'block', violations: [expect.stringContaining('rule no-uname')] },
    override: { by: expect.any(String) },
  });
  await until('it ended', async () => (await account()).status === 'failed');
  expect(await jobs()).toMatchObject({ uname: ['succeeded', null], whoami: ['failed', null] });

  // What the server holds can be rejected without a worker, and a person may override it if the worker's rules allow
  // it.
  const again = lastJson<Account>(await ask(server, cwd, 'submit', 'a.workflow.json', '--json'));
  await ask(server, cwd, 'reject', again.execution_id, 'uname', '--note', 'never');
  const { steps } = await client.call('executions.get', { params: { id: again.execution_id } });
  expect(steps.uname).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining('(never)') },
  });
});

test('a command that takes longer than any lease keeps its job', async () => {
  const { worker, server, cwd } = await machines({
    stages: [
      {
        stage_id: 'long',
        commands: [
          { program: 'echo', args: ['begun'] },
          { program: 'sleep', args: ['13'] },
        ],
      },
    ],
  });
  const box = await worker();
  const client = new Client(server);
  const waiting = ask(server, cwd, 'submit', 'a.workflow.json', '--wait');
  const jobs = async () => {
    const [row] = (await client.call('executions.list', {})).executions;
    return row ? (await client.call('executions.jobs', { params: { id: row.execution_id } })).jobs : [];
  };
  await until('it runs', async () => (await jobs())[0]?.status === 'running');
  const [job] = await jobs();
  expect(job).toMatchObject({ step: 'long', lease: { owner: box.id, expires_at: expect.any(Number) } });
  const ran = await waiting;
  expect(ran.status, ran.stderr).toBe(0);
  expect(ran.stderr).toContain('begun');
  expect(job!.lease!.expires_at).toBeGreaterThan(job!.started_at!);
  const events = (await ask(server, cwd, 'events', 'last', '--json')).stdout;
  expect(events.match(/"name":"job.leased"/g)).toHaveLength(1);
});

test('a worker removes bundles of runs that are older than its directory keeps', async () => {
  const { submit, worker, server } = await machines({
    stages: [{ stage_id: 'a', commands: [{ program: 'true' }] }],
  });
  const first = await worker();
  const { execution_id: id } = lastJson<Account>(await submit('--wait'));
  const bundles = join(bundlesOf(first.folder), id);
  expect(existsSync(bundles)).toBe(true);
  first.child.kill('SIGTERM');
  await first.ended;
  utimesSync(bundles, 1, 1);
  const marker = join(first.folder, 'worker-data', '.collected');
  writeFileSync(marker, '');
  utimesSync(marker, 1, 1);
  await startWorker(server, first.folder);
  await until('its bundles are gone', () => !existsSync(bundles));
});
