/** Exec blocks on workers elsewhere: files travel, evidence stays, a lost worker's block is begun again. */
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

test('a worker that is killed takes nothing with it: its block is begun again elsewhere, and succeeds once', async () => {
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
  const stages = ['uname', 'whoami', 'id'].map((program) => ({ stage_id: program, commands: [{ program }] }));
  const cwd = temporaryFolder({ 'a.workflow.json': JSON.stringify({ name: 'a', stages, edges: [] }) });
  mkdirSync(join(cwd, 'data'));
  writeFileSync(join(cwd, 'data', 'policy.yaml'), noProgram('uname'));
  const server = await startServer(cwd);
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'worker-data'));
  writeFileSync(join(folder, 'worker-data', 'policy.yaml'), noProgram('whoami'));
  await startWorker(server, folder);
  const submitted = await ask(server, cwd, 'submit', 'a.workflow.json', '--json');
  const { execution_id: id } = lastJson<Account>(submitted);
  const account = async () => lastJson<Account>(await ask(server, cwd, 'show', id, '--json'));
  await until('all that may run has', async () => (await account()).status === 'needs_human');
  expect(Object.entries((await account()).steps).map(([name, { status }]) => [name, status])).toEqual([
    ['uname', 'needs_human'],
    ['whoami', 'needs_human'],
    ['id', 'succeeded'],
  ]);
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
});

test('a command that is longer than any lease keeps its job', async () => {
  const { submit, worker, server, cwd } = await machines({
    stages: [{ stage_id: 'long', commands: [{ program: 'sleep', args: ['13'] }] }],
  });
  await worker();
  const ran = await submit('--wait');
  expect(ran.status, ran.stderr).toBe(0);
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
