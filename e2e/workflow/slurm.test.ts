/** Workflows on a real Slurm of one node, through the real program. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Client } from '@woof/client';
import { describeUnless, type SlurmCluster, slurmReason, startSlurm } from '@woof/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lastJson, root, runWoof, startWoof, temporaryFolder, textOf, until } from '../cli/woof.ts';
import { ask, startServer, startWorker } from '../server/machines.ts';

const executor = { kind: 'slurm', poll_ms: 100 };

/** Stages that depend on each other in their order. */
function workflow(...stages: object[]): string {
  const named = stages.map((stage, index) => ({
    stage_id: `s${index}`,
    kind: 'exec_block',
    ...(index > 0 ? { deps: [`s${index - 1}`] } : {}),
    ...stage,
  }));
  return JSON.stringify({ name: 'test', stages: named, edges: [] });
}

const stage = (script: string, more: object = {}) => ({
  executor,
  allow_shell: true,
  commands: [{ program: 'sh', args: ['-c', script] }],
  ...more,
});

/** Counts its effect, then waits until it is released. */
const HELD = 'echo ran >>effects; while [ ! -e go ]; do sleep 0.05; done; echo through';

describeUnless(slurmReason())('workflows on Slurm', () => {
  let cluster: SlurmCluster;
  beforeAll(async () => {
    cluster = await startSlurm();
    Object.assign(process.env, cluster.env);
  });
  afterAll(() => cluster.dispose());

  /** Ids of new jobs, from Slurm's own accounting. */
  const jobs = (...flags: string[]) =>
    cluster
      .run('squeue', '-h', '-r', '-o', '%i %T', ...flags)
      .split('\n')
      .filter(Boolean);

  function open(text: string) {
    const cwd = temporaryFolder({ 'w.workflow.json': text });
    const woof = (...args: string[]) => runWoof(args, { cwd });
    const go = () => writeFileSync(join(cwd, 'go'), '');
    const began = () => until('the job runs', () => existsSync(join(cwd, 'effects')));
    return { cwd, woof, go, began };
  }

  test('the example runs, and its matrix is one array', async () => {
    const cwd = temporaryFolder({ 'e.workflow.yaml': textOf(join(root, 'examples'), 'slurm.workflow.yaml') });
    const ran = await runWoof(['run', 'e.workflow.yaml', '--json'], { cwd });
    expect(ran.status).toBe(0);
    expect(lastJson(ran).steps.done).toMatchObject({ status: 'succeeded' });
    const ids = manifests(cwd).flatMap(({ slurm_job_id: id }) => (id === null ? [] : [String(id)]));
    expect(ids).toHaveLength(3);
    expect(new Set(ids.map((id) => id.split('_')[0])).size).toBe(1);
  });

  test('a run that was killed with kill -9 continues with its job', async () => {
    const { cwd, woof, go, began } = open(workflow(stage(HELD), stage('echo after >>effects')));
    const before = jobs('-t', 'all').length;
    const running = startWoof(['run', 'w.workflow.json'], { cwd });
    await began();
    running.child.kill('SIGKILL');
    await running.ended;
    const resumed = woof('resume', 'last', '--json');
    go();
    const ran = await resumed;
    expect(ran.status).toBe(0);
    expect(lastJson(ran).steps.s0).toMatchObject({ status: 'succeeded', runs: 1 });
    expect(textOf(cwd, 'effects')).toBe('ran\nafter\n');
    expect(jobs('-t', 'all').length - before).toBe(2);
  });

  test('the files that a job works with stay unchanged when another process takes it over', async () => {
    const first = { stage_id: 'a', deps: [], commands: [{ program: 'touch', args: ['x'] }], outputs: ['x'] };
    const reads =
      'touch inputs/a/own; echo ran >>effects; until [ -e go ]; do sleep 0.05; done; cat inputs/a/own && echo y >y';
    const last = { stage_id: 'c', deps: ['b'], commands: [{ program: 'cat', args: ['inputs/b/y'] }] };
    const held = stage(reads, { stage_id: 'b', deps: ['a'], outputs: ['y'] });
    const { cwd, woof, go, began } = open(workflow(first, held, last));
    const running = startWoof(['run', 'w.workflow.json'], { cwd });
    await began();
    running.child.kill('SIGKILL');
    await running.ended;
    const resumed = startWoof(['resume', 'last'], { cwd });
    await until('it is at it again', () => resumed.stderr().includes('RUNNING'));
    go();
    const ran = await resumed.ended;
    expect(ran.status, ran.stderr).toBe(0);
    expect(await woof('verify', 'last')).toMatchObject({ status: 0 });
  });

  test('another worker continues with the job of one that hangs, which does no harm when it wakes', async () => {
    const held = stage(`${HELD.replaceAll(/effects|go/g, (name) => `$PLACE/${name}`)}; echo z >z`, {
      outputs: ['z'],
    });
    const after = { commands: [{ program: 'cat', args: ['inputs/s0/z'] }] };
    const cwd = temporaryFolder();
    const text = workflow({ ...held, env: { PLACE: cwd } }, after);
    writeFileSync(join(cwd, 'w.workflow.json'), text);
    const server = await startServer(cwd);
    const first = await startWorker(server, cwd);
    const submitted = ask(server, cwd, 'submit', 'w.workflow.json', '--wait', '--json');
    await until('the job runs', () => existsSync(join(cwd, 'effects')));
    // It is alive, as on another machine: only its lease has expired.
    first.child.kill('SIGSTOP');
    const second = await startWorker(server, cwd);
    const client = new Client(server);
    const [row] = (await client.call('executions.list', {})).executions;
    const params = { id: row!.execution_id };
    await until('the other has the job', async () => {
      const { events } = await client.call('executions.events', { params });
      return events.some(({ name, data }) => name === 'job.leased' && data.worker === second.id);
    });
    writeFileSync(join(cwd, 'go'), '');
    const ran = await submitted;
    expect(ran.status, ran.stderr).toBe(0);
    expect(textOf(cwd, 'effects')).toBe('ran\n');
    const attempts = join(cwd, 'worker-data', 'runs', lastJson(ran).execution_id, 's0');
    const bundle = () => [readdirSync(attempts), textOf(join(attempts, '1'), 'SHA256SUMS')];
    const before = bundle();
    expect(before[0]).toEqual(['1']);
    first.child.kill('SIGCONT');
    first.child.kill('SIGTERM');
    await first.ended;
    expect(bundle()).toEqual(before);
  });

  test('Ctrl-C leaves the job, and resume finds it, ended meanwhile', async () => {
    const { cwd, woof, go, began } = open(workflow(stage(HELD)));
    const running = startWoof(['run', 'w.workflow.json'], { cwd });
    await began();
    running.child.kill('SIGINT');
    expect((await running.ended).status).toBe(130);
    expect(jobs().join()).toContain('RUNNING');
    go();
    await until('the job ended', () => jobs().length === 0);
    const ran = await woof('resume', 'last', '--json');
    expect(lastJson(ran).steps.s0).toMatchObject({ status: 'succeeded' });
    expect(textOf(cwd, 'effects')).toBe('ran\n');
  });

  test('cancel ends the job', async () => {
    const { cwd, woof, began } = open(workflow(stage(HELD), stage('true')));
    const running = startWoof(['run', 'w.workflow.json', '--json'], { cwd });
    await began();
    expect((await woof('cancel', 'last')).status).toBe(0);
    expect(lastJson(await running.ended)).toMatchObject({ status: 'cancelled' });
    await until('Slurm has no job of it', () => jobs().length === 0);
  });

  test('cancel ends the job of a process that is gone, and keeps none of its secrets', async () => {
    const { cwd, woof, began } = open(workflow(stage(HELD, { env: { API_TOKEN: 'hush-hush-hush' } })));
    const running = startWoof(['run', 'w.workflow.json', '--json'], { cwd });
    await began();
    running.child.kill('SIGINT');
    await running.ended;
    expect(jobs().join()).toContain('RUNNING');
    expect(await woof('cancel', 'last')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/: cancelled\n/),
    });
    await until('Slurm has no job of it', () => jobs().length === 0);
    expect(manifests(cwd)).toMatchObject([
      { status: 'failed', stage_id: 's0', error: 'the run was cancelled' },
    ]);
    expect(await woof('verify', 'last')).toMatchObject({ status: 0 });
    const files = readdirSync(join(cwd, '.woof', 'runs'), { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile()))
      expect(textOf(file.parentPath, file.name)).not.toContain('hush-hush-hush');
  });

  test('a job that somebody else cancels is distinguished from one that fails', async () => {
    const { cwd, began } = open(workflow(stage(HELD), stage('true')));
    const running = startWoof(['run', 'w.workflow.json', '--json'], { cwd });
    await began();
    cluster.run('scancel', ...jobs().map((line) => line.split(' ')[0]!));
    const cancelled = lastJson(await running.ended);
    expect(cancelled.status).toBe('failed');
    expect(cancelled.steps.s0!.error!.message).toContain('was cancelled by someone else (CANCELLED');
    expect(cancelled.steps.s1).toMatchObject({ status: 'skipped' });
    const failed = lastJson(
      await open(workflow(stage('echo no >&2; exit 3'))).woof('run', 'w.workflow.json', '--json'),
    );
    expect(failed.steps.s0!.error!.message).toMatch(/exit code 3: no$/);
  });

  test('a preempted job starts again if it may', async () => {
    const whole = { ...executor, cpus_per_task: 8 };
    const held = stage(HELD, { executor: whole, max_attempts: 2 });
    const { cwd, woof, go, began } = open(workflow(held));
    const running = startWoof(['run', 'w.workflow.json', '--json'], { cwd });
    await began();
    cluster.run('sbatch', '--partition=urgent', '-c8', '--output=/dev/null', '--wrap=true');
    await until('it runs again', () => textOf(cwd, 'effects') === 'ran\nran\n');
    go();
    expect(lastJson(await running.ended).steps.s0).toMatchObject({ status: 'succeeded' });
    const [first, second] = manifests(cwd);
    expect(first).toMatchObject({ status: 'failed', error: expect.stringContaining('PREEMPTED') });
    expect(second).toMatchObject({ status: 'succeeded' });
    expect((await woof('verify', 'last')).stdout.match(/^ok /gm)).toHaveLength(2);
  });

  test("Slurm's refusals are shown in its own words, and a missing Slurm is reported", async () => {
    const { cwd, woof } = open(workflow(stage('true', { executor: { ...executor, partition: 'nowhere' } })));
    const refused = lastJson(await woof('run', 'w.workflow.json', '--json'));
    expect(refused.steps.s0!.error!.message).toMatch(/sbatch: error: .*[Ii]nvalid partition/);
    const env = { PATH: '/bin-without-slurm' };
    const absent = lastJson(await runWoof(['run', 'w.workflow.json', '--json'], { cwd, env }));
    expect(absent.steps.s0!.error!.message).toContain('this worker has no sbatch');
  });

  test('jobs share the calls of squeue, and hold no slot of the worker', async () => {
    const cwd = temporaryFolder();
    const go = join(cwd, 'go');
    const stages = Array.from({ length: 24 }, (_, index) =>
      stage(`while [ ! -e ${go} ]; do sleep 0.1; done`, {
        stage_id: `j${index}`,
        deps: [],
        executor: { kind: 'slurm', poll_ms: 1000 },
      }),
    );
    writeFileSync(join(cwd, 'w.workflow.json'), workflow(...stages));
    const { env, calls } = countCalls(cwd);
    const server = await startServer(cwd);
    Object.assign(process.env, env);
    await startWorker(server, cwd, '--slots', '2');
    const began = Date.now();
    const submitted = ask(server, cwd, 'submit', 'w.workflow.json', '--wait', '--json');
    // More than the worker has slots wait at the same time.
    await until('many jobs are in the queue', () => jobs().length > 10);
    writeFileSync(go, '');
    const ran = await submitted;
    expect(ran.status, ran.stderr).toBe(0);
    expect(calls()).toBeLessThanOrEqual((Date.now() - began) / 1000 + 1);
  });

  // The last one: a controller that lost its last ids gives them again, and the node then takes no more jobs.
  test('a controller that is killed does not make a job run twice', async () => {
    const { cwd, go, began } = open(workflow(stage(HELD)));
    const running = startWoof(['run', 'w.workflow.json', '--json'], { cwd });
    await began();
    await cluster.killController();
    await cluster.startController();
    go();
    const { steps } = lastJson(await running.ended);
    // A controller may have lost the job with its last seconds. Then this is reported, and the job is not run again.
    if (steps.s0!.status === 'failed') expect(steps.s0!.error!.message).toMatch(/Slurm/);
    expect(textOf(cwd, 'effects')).toBe('ran\n');
  });
});

/** A squeue before the real one on the PATH that writes down each call. */
function countCalls(folder: string): { env: Record<string, string>; calls: () => number } {
  const bin = join(folder, 'bin');
  const log = join(folder, 'calls');
  mkdirSync(bin);
  const path = process.env.PATH ?? '';
  const real = path
    .split(delimiter)
    .map((entry) => join(entry, 'squeue'))
    .find(existsSync);
  writeFileSync(join(bin, 'squeue'), `#!/bin/sh\necho >>${log}\nexec ${real} "$@"\n`);
  chmodSync(join(bin, 'squeue'), 0o755);
  return { env: { PATH: `${bin}${delimiter}${path}` }, calls: () => readFileSync(log, 'utf8').length };
}

function manifests(cwd: string): Record<string, unknown>[] {
  const runs = join(cwd, '.woof', 'runs');
  const files = readdirSync(runs, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('manifest.json'),
  );
  return files
    .sort()
    .map((name) => JSON.parse(readFileSync(join(runs, name), 'utf8')) as Record<string, unknown>);
}
