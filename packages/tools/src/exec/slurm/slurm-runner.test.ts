import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_LONGER_WANTED } from '@woof/net';
import { describeUnless, slurmReason } from '@woof/testkit';
import { expect, it } from 'vitest';
import { read, SlurmCase, sh, sleep, statuses } from './fixtures/slurm-case.ts';
import { scancel } from './slurm-commands.ts';

describeUnless(slurmReason())('blocks on Slurm', () => {
  const slurm = new SlurmCase();
  const start = slurm.start.bind(slurm);

  it('leaves outputs, times, exit codes and the script', async () => {
    const started = await start([
      sh('echo out; echo err >&2'),
      sh('pwd; exit 3', { allow_failure: true, cwd: 'sub' }),
      sh('sleep 0.2'),
    ]);
    const end = await started.end;
    expect(end.fault).toBeUndefined();
    expect(statuses(started)).toEqual(['succeeded', 'failed', 'succeeded']);
    expect(started.attempt.results.map(({ exit_code }) => exit_code)).toEqual([0, 3, 0]);
    expect(read(started, 'cmd-000.stdout.log')).toBe('out\n');
    expect(read(started, 'cmd-000.stderr.log')).toBe('err\n');
    expect(read(started, 'cmd-001.stdout.log')).toBe(`${join(slurm.folder, 'work', 'sub')}\n`);
    const [, , third] = started.attempt.results;
    expect(third!.finished_at_ms - third!.started_at_ms).toBeGreaterThanOrEqual(200);
    expect(end.manifest?.slurm_job_id).toMatch(/^\d+$/);
    for (const name of end.extraFiles!) expect(existsSync(join(started.attempt.folder, name))).toBe(true);
    expect(readdirSync(started.attempt.folder)).not.toContain('slurm');
    expect(started.said).toMatch(/slurm: job \d+ submitted\n(.*\n)*out\n/);
  });

  it('stops at the first failure, and says what was skipped', async () => {
    const started = await start([sh('exit 4'), sh('true')]);
    expect((await started.end).fault).toBeUndefined();
    expect(statuses(started)).toEqual(['failed', 'skipped']);
    expect(started.attempt.results[0]).toMatchObject({ exit_code: 4, error: 'exit code 4' });
  });

  it('passes the environment, and keeps secrets out of the bundle', async () => {
    const env = { ODD: `q'"\`$(id)\\\r\nünï`, API_TOKEN: `s3'cr"et` };
    const started = await start(
      [sh('printf %s "$ODD" >odd; printf %s "$API_TOKEN" >token; echo "$API_TOKEN"')],
      { env },
    );
    await started.end;
    expect(readFileSync(join(slurm.folder, 'work', 'odd'), 'utf8')).toBe(env.ODD);
    expect(readFileSync(join(slurm.folder, 'work', 'token'), 'utf8')).toBe(env.API_TOKEN);
    for (const name of readdirSync(started.attempt.folder)) expect(read(started, name)).not.toMatch(/s3.+et/);
    expect(read(started, 'cmd-000.stdout.log')).toBe('[redacted]\n');
    expect(started.said).not.toMatch(/s3.+et/);
  });

  it('passes the options to Slurm', async () => {
    const executor = {
      partition: 'debug',
      time_limit: '0:07:00',
      cpus_per_task: 2,
      mem_mb: 200,
      extra_args: ['--nice=5'],
    };
    const started = await start([sh('scontrol show job $SLURM_JOB_ID; echo cpus $SLURM_CPUS_PER_TASK')], {
      executor,
    });
    await started.end;
    const shown = read(started, 'cmd-000.stdout.log');
    for (const part of [
      'Partition=debug',
      'TimeLimit=00:07:00',
      'CPUs/Task=2',
      'MinMemoryNode=200M',
      'Nice=5',
      'Requeue=0',
      'cpus 2',
    ])
      expect(shown).toContain(part);
  });

  it('shows Slurm’s message when it refuses', async () => {
    const started = await start([sh('true')], { executor: { partition: 'nowhere' } });
    const { fault } = await started.end;
    expect(fault).toMatchObject({ kind: 'client_error', retryable: false });
    expect(fault!.message).toMatch(/sbatch: error: .*invalid partition/i);
    expect(statuses(started)).toEqual(['skipped']);
    expect(await slurm.queued()).toEqual([]);
  });

  it('refuses options that it does not know', async () => {
    for (const extra of [
      ['--array=1-2'],
      ['--arr=1-2'],
      ['-QW'],
      ['--wait'],
      ['-J', 'x'],
      ['--output=x'],
      ['other.sh'],
      ['--exclusive', 'other.sh'],
    ]) {
      const { fault } = await (await start([sh('true')], { executor: { extra_args: extra } })).end;
      expect(fault).toMatchObject({ kind: 'schema', message: expect.stringContaining('extra_args') });
    }
  });

  it('ends a command at its timeout, and the block at Slurm’s', async () => {
    const own = await start([sh('sleep 60', { timeout_sec: 0.3 })]);
    await own.end;
    expect(own.attempt.results[0]).toMatchObject({
      status: 'timed_out',
      error: expect.stringContaining('0.3 s'),
    });
    const given = await start([sh('touch began; sleep 60'), sh('true')], { key: 'b' });
    await slurm.appears('began');
    given.abort('timeout');
    expect((await given.end).fault).toMatchObject({ kind: 'timeout' });
    expect(statuses(given)).toEqual(['timed_out', 'skipped']);
    while ((await slurm.alive()).length > 0) await sleep(50);
  });

  it('cancels the job when nobody wants it any more', async () => {
    const started = await start([sh('touch began; sleep 60; touch late')]);
    await slurm.appears('began');
    started.abort(NO_LONGER_WANTED);
    expect((await started.end).fault).toMatchObject({
      kind: 'cancelled',
      message: expect.stringMatching(/job \d+ was cancelled/),
    });
    while ((await slurm.alive()).length > 0) await sleep(50);
    expect((await slurm.queued()).map(({ state }) => state)).toContain('CANCELLED');
  });

  it('leaves the job to the next lease when the worker stops, and finds it again', async () => {
    const commands = [
      sh('echo one'),
      sh('touch began; while [ ! -e go ]; do sleep 0.05; done; echo two >>effects; echo two'),
    ];
    const first = await start(commands);
    await slurm.appears('began');
    const drafted = () => JSON.parse(read(first, 'manifest.json')).commands as { status: string }[];
    while (drafted()[1]?.status !== 'running') await sleep(50);
    first.abort('the worker stops');
    expect(await first.end).toEqual({ left: true });
    await first.attempt.leave();
    expect(drafted()).toMatchObject([
      { index: 0, status: 'succeeded' },
      { index: 1, status: 'running', finished_at_ms: null, stdout_path: 'cmd-001.stdout.log', error: null },
    ]);
    slurm.restart();
    const second = await start(commands, { fence: 2, adopt: true });
    while (!second.said.includes('RUNNING')) await sleep(50);
    writeFileSync(join(slurm.folder, 'work', 'go'), '');
    expect((await second.end).fault).toBeUndefined();
    expect(statuses(second)).toEqual(['succeeded', 'succeeded']);
    expect(read(second, 'cmd-001.stdout.log')).toBe('two\n');
    expect(readFileSync(join(slurm.folder, 'work', 'effects'), 'utf8')).toBe('two\n');
    expect(await slurm.queued()).toHaveLength(1);
  });

  it('does not cancel what a later lease looks after', async () => {
    const commands = [sh('touch began; while [ ! -e go ]; do sleep 0.05; done')];
    const first = await start(commands);
    await slurm.appears('began');
    await first.attempt.leave();
    const second = await start(commands, { fence: 2, adopt: true });
    while (!second.said.includes('RUNNING')) await sleep(50);
    first.abort(NO_LONGER_WANTED);
    expect(await first.end).toEqual({ left: true });
    writeFileSync(join(slurm.folder, 'work', 'go'), '');
    expect((await second.end).fault).toBeUndefined();
    expect(statuses(second)).toEqual(['succeeded']);
  });

  it('resubmits only what was never submitted', async () => {
    const commands = [sh('echo ran >>effects')];
    const first = await start(commands);
    await first.end;
    // The state of a worker that dies after it creates the area and before it calls sbatch.
    const lost = await start(commands, { key: `${slurm.folder}/2` });
    lost.abort('the worker stops');
    await lost.end;
    await scancel((await slurm.alive()).map(({ id }) => id));
    await lost.attempt.leave();
    const area = join(lost.attempt.folder, 'slurm');
    for (const name of readdirSync(area)) if (name !== 'owner') rmSync(join(area, name), { recursive: true });
    const again = await start(commands, { key: `${slurm.folder}/2`, fence: 2, adopt: true });
    expect((await again.end).fault).toBeUndefined();
    expect(statuses(again)).toEqual(['succeeded']);
  });

  it('queries once for many jobs', async () => {
    const began = Date.now();
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        start([sh('sleep 0.1')], { key: `k${index}`, executor: { poll_ms: 500 } }),
      ),
    );
    const ends = await Promise.all(all.map(({ end }) => end));
    expect(ends.filter(({ fault }) => fault)).toEqual([]);
    expect(slurm.queue.polls).toBeLessThanOrEqual((Date.now() - began) / 500 + 2);
  });

  it('submits the stages of a matrix as one array', async () => {
    const all = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        start([sh(`echo ${index}; exit ${index === 3 ? 1 : 0}`)], {
          key: `m${index}`,
          matrix: { group: 'm', count: 5 },
        }),
      ),
    );
    const ends = await Promise.all(all.map(({ end }) => end));
    const ids = ends.map(({ manifest }) => String(manifest?.slurm_job_id));
    expect(new Set(ids.map((id) => id.split('_')[0])).size).toBe(1);
    expect(ids.map((id) => id.split('_')[1]).sort()).toEqual(['0', '1', '2', '3', '4']);
    all.forEach((started, index) => {
      expect(read(started, 'cmd-000.stdout.log')).toBe(`${index}\n`);
      expect(statuses(started)).toEqual([index === 3 ? 'failed' : 'succeeded']);
    });
  });

  it('survives a controller that is killed, and runs nothing twice', async () => {
    const held = 'echo ran >>effects; touch began; while [ ! -e go ]; do sleep 0.05; done';
    const commands = [sh(held), sh('echo ran >>effects')];
    const started = await start(commands);
    await slurm.appears('began');
    await slurm.cluster.killController();
    await slurm.cluster.startController();
    writeFileSync(join(slurm.folder, 'work', 'go'), '');
    const end = await started.end;
    // Slurm may lose a job that it had not saved. Then it says so, and nothing ran twice either.
    if (end.fault) expect(end.fault).toMatchObject({ retryable: true });
    else expect(statuses(started)).toEqual(['succeeded', 'succeeded']);
    while ((await slurm.alive()).length > 0) await sleep(50);
    expect(readFileSync(join(slurm.folder, 'work', 'effects'), 'utf8')).toMatch(/^(ran\n){1,2}$/);
  });
});
