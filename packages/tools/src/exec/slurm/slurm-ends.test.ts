/** The ways in which Slurm may end a job, each with a real one, and what becomes of the block. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless, itUnless, memoryReason, nodeName, slurmReason } from '@woof/testkit';
import { beforeAll, expect, it } from 'vitest';
import { read, SlurmCase, type Started, sh, sleep, statuses } from './fixtures/slurm-case.ts';

const limits = memoryReason();
const CPUS = 8;
/** All processors but one, so that the job that waits for its time limit can stay. */
const MOST = CPUS - 1;
const HELD = [sh('echo ran >>effects; sleep 600'), sh('true')];

describeUnless(slurmReason())('a job on Slurm', () => {
  const slurm = new SlurmCase({ cpus: CPUS, memory: limits === undefined });
  const start = slurm.start.bind(slurm);
  const effects = () => readFileSync(join(slurm.folder, 'work', 'effects'), 'utf8');
  const update = (...words: string[]) => slurm.cluster.run('scontrol', 'update', ...words);
  const begun = async () => {
    await slurm.appears('effects');
    return slurm.aliveId();
  };
  /** Starts a job that preempts others. */
  const preempt = () =>
    slurm.cluster.run('sbatch', '--partition=urgent', `-c${MOST}`, '--output=/dev/null', '--wrap=true');

  // Slurm checks time limits twice a minute, so this job starts first and is awaited last but one.
  let timed: Started;
  beforeAll(async () => {
    await slurm.open();
    timed = await start(HELD, { executor: { partition: 'urgent', time_limit: 1, poll_ms: 1000 } });
    update(`jobid=${await begun()}`, 'endtime=now');
  });

  it('distinguishes a job that someone else cancelled from one that failed', async () => {
    const started = await start([sh('touch began; sleep 60'), sh('true')]);
    await slurm.appears('began');
    slurm.cluster.run('scancel', ...(await slurm.alive()).map(({ id }) => id));
    const { fault } = await started.end;
    expect(fault).toMatchObject({ kind: 'cancelled', code: 'CANCELLED', retryable: false });
    expect(fault!.message).toMatch(/Slurm job \d+ was cancelled by someone else/);
    expect(statuses(started)).toEqual(['failed', 'skipped']);
  });

  itUnless(limits)('recognises a job that used too much memory', async () => {
    const started = await start([sh('head -c 400m /dev/zero | tail -c 400m >/dev/null')], {
      executor: { mem_mb: 50 },
    });
    const { fault } = await started.end;
    expect(fault).toMatchObject({ code: 'OUT_OF_MEMORY', retryable: false });
    expect(fault!.message).toContain('executor.mem_mb');
  });

  it('says so if a script did not finish', async () => {
    const started = await start([sh('echo last words; kill -9 $PPID'), sh('true')]);
    const { fault } = await started.end;
    expect(fault).toMatchObject({ kind: 'exception', code: 'FAILED' });
    expect(fault!.message).toMatch(/Slurm job \d+ failed outside its commands/);
    expect(statuses(started)).toEqual(['failed', 'skipped']);
    expect(read(started, 'cmd-000.stdout.log')).toBe('last words\n');
  });

  it('says so if Slurm has forgotten a job that did not end', async () => {
    const commands = [sh('touch began; sleep 60')];
    const first = await start(commands);
    await slurm.appears('began');
    first.abort('the worker stops');
    await first.end;
    await first.attempt.leave();
    // Another name, as if the controller had lost the job.
    const area = join(first.attempt.folder, 'slurm');
    writeFileSync(join(area, 'name'), JSON.stringify({ name: 'woof:gone', index: null }));
    const second = await start(commands, { fence: 2, adopt: true });
    const { fault } = await second.end;
    expect(fault).toMatchObject({ kind: 'server_error', retryable: true });
    expect(fault!.message).toMatch(/Slurm no longer knows job \d+/);
    expect(statuses(second)).toEqual(['failed']);
  });

  it('that is preempted may be started again', async () => {
    const started = await start(HELD, { executor: { cpus_per_task: MOST } });
    await begun();
    preempt();
    const { fault } = await started.end;
    expect(fault).toMatchObject({ kind: 'server_error', code: 'PREEMPTED', retryable: true });
    expect(fault!.message).toMatch(/Slurm job \d+ was preempted by a job of higher priority/);
    expect(statuses(started)).toEqual(['failed', 'skipped']);
  });

  /** Has a running job preempted and requeued, which only an administrator can do, and waits until it is queued. */
  async function requeue(): Promise<string> {
    const id = await begun();
    update(`jobid=${id}`, 'requeue=1');
    preempt();
    const isQueued = async () =>
      (await slurm.alive()).some((job) => job.id === id && job.state === 'PENDING');
    while (!(await isQueued())) await sleep(50);
    return id;
  }
  const REQUEUED = { partition: 'requeue', cpus_per_task: MOST };

  it('that Slurm requeues is not awaited', async () => {
    const started = await start(HELD, { executor: REQUEUED });
    const id = await requeue();
    const { fault } = await started.end;
    expect(fault).toMatchObject({ kind: 'server_error', code: 'REQUEUED', retryable: true });
    expect(fault!.message).toMatch(/Slurm job \d+ was requeued after it had started/);
    expect(statuses(started)).toEqual(['failed', 'skipped']);
    expect((await slurm.queued()).find((job) => job.id === id)).toMatchObject({ state: 'CANCELLED' });
  });

  it('that Slurm runs a second time while no worker is there does nothing', async () => {
    const first = await start(HELD, { executor: REQUEUED });
    await slurm.appears('effects');
    first.abort('the worker stops');
    await first.end;
    await first.attempt.leave();
    const id = await requeue();
    // By default, Slurm waits two minutes. In the same second in which the first run ended, it would refuse.
    update(`jobid=${id}`, 'starttime=now+2');
    while ((await slurm.alive()).length > 0) await sleep(50);
    expect(slurm.cluster.run('scontrol', 'show', 'job', id)).toContain('Restarts=1');
    expect(read(first, 'slurm/slurm.stderr.log')).toContain('woof: this block was started a second time');
    expect(effects()).toBe('ran\n');
    slurm.restart();
    const second = await start(HELD, { executor: REQUEUED, fence: 2, adopt: true });
    expect((await second.end).fault).toMatchObject({ retryable: true });
    expect(statuses(second)).toEqual(['failed', 'skipped']);
    expect(effects()).toBe('ran\n');
  });

  it('that cannot end before its deadline never begins', async () => {
    const executor = { time_limit: 1, extra_args: ['--hold', '--deadline=now+2hours'] };
    const started = await start(HELD, { executor });
    const id = await slurm.aliveId();
    update(`jobid=${id}`, 'deadline=now+1');
    slurm.cluster.run('scontrol', 'release', id);
    const { fault } = await started.end;
    expect(fault).toMatchObject({ kind: 'timeout', code: 'DEADLINE', retryable: false });
    expect(statuses(started)).toEqual(['skipped', 'skipped']);
  });

  it('that reaches its time limit says so', async () => {
    const { fault } = await timed.end;
    expect(fault).toMatchObject({ kind: 'timeout', code: 'TIMEOUT', retryable: false });
    expect(fault!.message).toContain('executor.time_limit');
    expect(statuses(timed)).toEqual(['timed_out', 'skipped']);
    await timed.attempt.leave();
  });

  it('whose node fails may be started again', async () => {
    const started = await start(HELD);
    await begun();
    update(`nodename=${nodeName()}`, 'state=down', 'reason=test');
    const { fault } = await started.end;
    expect(fault).toMatchObject({ kind: 'server_error', code: 'NODE_FAIL', retryable: true });
    expect(fault!.message).toMatch(/Slurm job \d+ was lost with its node/);
    expect(statuses(started)).toEqual(['failed', 'skipped']);
  });
});
