import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_LONGER_WANTED } from '@woof/net';
import {
  describeUnless,
  itUnless,
  memoryReason,
  type SlurmCluster,
  slurmReason,
  startSlurm,
} from '@woof/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Attempt } from '../attempt.ts';
import { toBlock } from '../exec-block.ts';
import type { RunnerEnd, RunnerHost } from '../exec-runner.ts';
import { Redactor } from '../redactor.ts';
import { scancel, squeue } from './slurm-commands.ts';
import { SlurmQueue } from './slurm-queue.ts';
import { createSlurmRunner } from './slurm-runner.ts';
import { Submitter } from './submitter.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const sh = (script: string, more: object = {}) => ({ program: 'sh', args: ['-c', script], ...more });

const limits = memoryReason();

interface Started {
  attempt: Attempt;
  end: Promise<RunnerEnd>;
  abort(reason: string): void;
  said: string;
}

describeUnless(slurmReason())('blocks on Slurm', () => {
  let cluster: SlurmCluster;
  let folder: string;
  const opened: Attempt[] = [];
  let queue: SlurmQueue;
  let runner: ReturnType<typeof createSlurmRunner>;

  beforeAll(async () => {
    cluster = await startSlurm({ memory: limits === undefined });
    Object.assign(process.env, cluster.env);
  });
  afterAll(() => cluster.dispose());
  let before: Set<string>;
  beforeEach(async () => {
    before = new Set((await squeue()).map(({ id }) => id));
    folder = mkdtempSync(join(tmpdir(), 'woof-slurm-run-'));
    mkdirSync(join(folder, 'work', 'sub'), { recursive: true });
    restart();
  });
  afterEach(async () => {
    for (const attempt of opened.splice(0)) await attempt.leave();
    await scancel((await squeue()).map(({ id }) => id));
    rmSync(folder, { recursive: true, force: true });
  });

  /** As a new process has it. */
  function restart() {
    queue = new SlurmQueue();
    runner = createSlurmRunner({ queue, submitter: new Submitter() });
  }

  interface Given {
    executor?: object;
    key?: string;
    fence?: number;
    adopt?: boolean;
    env?: Record<string, string>;
    halt_on_error?: boolean;
    matrix?: object;
  }

  async function start(commands: object[], given: Given = {}): Promise<Started> {
    const { executor, key = `${folder}/1`, fence = 1, adopt = false, env = {}, ...rest } = given;
    const input = {
      workdir: '.',
      executor: { kind: 'slurm', poll_ms: 100, ...executor },
      commands,
      env,
      ...rest,
    };
    const block = toBlock(JSON.parse(JSON.stringify(input)));
    const place = { runs: join(folder, 'runs'), executionId: 'run', stage: key.slice(-30) };
    const intent = { attempt: 1, fence, block_sha256: 'x', started_at_ms: 1, workdir: join(folder, 'work') };
    const attempt = await Attempt.open(place, { intent, adopt, resume: false });
    const stop = new AbortController();
    const started: Started = {
      attempt,
      end: undefined as never,
      abort: (reason) => stop.abort(reason),
      said: '',
    };
    const host: RunnerHost = {
      executionId: 'run',
      stage: key,
      idempotencyKey: key,
      fence,
      signal: stop.signal,
      now: Date.now,
      log: (_, text) => {
        started.said += text;
      },
      workdir: join(folder, 'work'),
      envOf: (command) => ({ PATH: process.env.PATH!, ...block.env, ...command.env }),
      redactor: new Redactor([block.env]),
      hidden: [],
    };
    opened.push(attempt);
    started.end = runner.run(block, attempt, host);
    return started;
  }

  const read = ({ attempt }: Started, name: string) => readFileSync(join(attempt.folder, name), 'utf8');
  const statuses = ({ attempt }: Started) => attempt.results.map(({ status }) => status);

  /** Waits until the file is there. */
  async function appears(name: string) {
    while (!existsSync(join(folder, 'work', name))) await sleep(20);
  }
  /** Slurm remembers the jobs of the tests before. */
  const queued = async () => (await squeue()).filter(({ id }) => !before.has(id));
  const alive = async () =>
    (await queued()).filter(({ state }) => /PENDING|RUNNING|COMPLETING|CONFIG/.test(state));

  it('leaves outputs, times, exit statuses and the script', async () => {
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
    expect(read(started, 'cmd-001.stdout.log')).toBe(`${join(folder, 'work', 'sub')}\n`);
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
    expect(started.attempt.results[0]).toMatchObject({ exit_code: 4, error: 'exit status 4' });
  });

  it('carries the environment, and keeps secrets out of the bundle', async () => {
    const env = { ODD: `q'"\`$(id)\\\r\nünï`, API_TOKEN: `s3'cr"et` };
    const started = await start(
      [sh('printf %s "$ODD" >odd; printf %s "$API_TOKEN" >token; echo "$API_TOKEN"')],
      { env },
    );
    await started.end;
    expect(readFileSync(join(folder, 'work', 'odd'), 'utf8')).toBe(env.ODD);
    expect(readFileSync(join(folder, 'work', 'token'), 'utf8')).toBe(env.API_TOKEN);
    for (const name of readdirSync(started.attempt.folder)) expect(read(started, name)).not.toMatch(/s3.+et/);
    expect(read(started, 'cmd-000.stdout.log')).toBe('[redacted]\n');
    expect(started.said).not.toMatch(/s3.+et/);
  });

  it('gives Slurm the options', async () => {
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

  it('shows what Slurm says when it refuses', async () => {
    const started = await start([sh('true')], { executor: { partition: 'nowhere' } });
    const { fault } = await started.end;
    expect(fault).toMatchObject({ kind: 'client_error', retryable: false });
    expect(fault!.message).toMatch(/sbatch: error: .*invalid partition/i);
    expect(statuses(started)).toEqual(['skipped']);
    expect(await queued()).toEqual([]);
  });

  it('refuses options that are not its own', async () => {
    for (const extra of [
      ['--array=1-2'],
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

  it('ends a command at its time-out, and the block at Slurm’s', async () => {
    const own = await start([sh('sleep 60', { timeout_sec: 0.3 })]);
    await own.end;
    expect(own.attempt.results[0]).toMatchObject({
      status: 'timed_out',
      error: expect.stringContaining('0.3 s'),
    });
    const given = await start([sh('touch began; sleep 60'), sh('true')], { key: 'b' });
    await appears('began');
    given.abort('timeout');
    expect((await given.end).fault).toMatchObject({ kind: 'timeout' });
    expect(statuses(given)).toEqual(['timed_out', 'skipped']);
    while ((await alive()).length > 0) await sleep(50);
  });

  it('cancels the job when nobody wants it any more', async () => {
    const started = await start([sh('touch began; sleep 60; touch late')]);
    await appears('began');
    started.abort(NO_LONGER_WANTED);
    expect((await started.end).fault).toMatchObject({
      kind: 'cancelled',
      message: expect.stringMatching(/job \d+ was cancelled/),
    });
    while ((await alive()).length > 0) await sleep(50);
    expect((await queued()).map(({ state }) => state)).toContain('CANCELLED');
  });

  it('tells a job that somebody else cancelled from one that failed', async () => {
    const started = await start([sh('touch began; sleep 60'), sh('true')]);
    await appears('began');
    cluster.run('scancel', ...(await alive()).map(({ id }) => id));
    const { fault } = await started.end;
    expect(fault).toMatchObject({ kind: 'cancelled', code: 'CANCELLED', retryable: false });
    expect(fault!.message).toMatch(/Slurm job \d+ was cancelled by somebody else/);
    expect(statuses(started)).toEqual(['failed', 'skipped']);
  });

  itUnless(limits)('tells a job that used too much memory', async () => {
    const started = await start([sh('head -c 400m /dev/zero | tail -c 400m >/dev/null')], {
      executor: { mem_mb: 50 },
    });
    const { fault } = await started.end;
    expect(fault).toMatchObject({ code: 'OUT_OF_MEMORY', retryable: false });
    expect(fault!.message).toContain('executor.mem_mb');
  });

  it('leaves the job to the next lease when the worker goes, and finds it again', async () => {
    const commands = [
      sh('echo one'),
      sh('touch began; while [ ! -e go ]; do sleep 0.05; done; echo two >>effects; echo two'),
    ];
    const first = await start(commands);
    await appears('began');
    first.abort('the worker stops');
    expect(await first.end).toEqual({ left: true });
    await first.attempt.leave();
    restart();
    const second = await start(commands, { fence: 2, adopt: true });
    await sleep(300);
    writeFileSync(join(folder, 'work', 'go'), '');
    expect((await second.end).fault).toBeUndefined();
    expect(statuses(second)).toEqual(['succeeded', 'succeeded']);
    expect(read(second, 'cmd-001.stdout.log')).toBe('two\n');
    expect(readFileSync(join(folder, 'work', 'effects'), 'utf8')).toBe('two\n');
    expect(await queued()).toHaveLength(1);
  });

  it('does not cancel what a later lease looks after', async () => {
    const commands = [sh('touch began; while [ ! -e go ]; do sleep 0.05; done')];
    const first = await start(commands);
    await appears('began');
    await first.attempt.leave();
    const second = await start(commands, { fence: 2, adopt: true });
    await sleep(200);
    first.abort(NO_LONGER_WANTED);
    await sleep(300);
    writeFileSync(join(folder, 'work', 'go'), '');
    expect((await second.end).fault).toBeUndefined();
    expect(statuses(second)).toEqual(['succeeded']);
  });

  it('says so when a script did not come to its end', async () => {
    const started = await start([sh('echo last words; kill -9 $PPID'), sh('true')]);
    const { fault } = await started.end;
    expect(fault).toMatchObject({ kind: 'exception', code: 'FAILED' });
    expect(fault!.message).toMatch(/Slurm job \d+ failed outside of its commands/);
    expect(statuses(started)).toEqual(['failed', 'skipped']);
    expect(read(started, 'cmd-000.stdout.log')).toBe('last words\n');
  });

  it('submits once more only what was never submitted', async () => {
    const commands = [sh('echo ran >>effects')];
    const first = await start(commands);
    await first.end;
    // As a worker leaves it that dies between making the area and calling sbatch.
    const lost = await start(commands, { key: `${folder}/2` });
    lost.abort('the worker stops');
    await lost.end;
    await scancel((await alive()).map(({ id }) => id));
    await lost.attempt.leave();
    const area = join(lost.attempt.folder, 'slurm');
    for (const name of readdirSync(area)) if (name !== 'owner') rmSync(join(area, name), { recursive: true });
    const again = await start(commands, { key: `${folder}/2`, fence: 2, adopt: true });
    expect((await again.end).fault).toBeUndefined();
    expect(statuses(again)).toEqual(['succeeded']);
  });

  it('says so when Slurm has forgotten a job that did not end', async () => {
    const commands = [sh('touch began; sleep 60')];
    const first = await start(commands);
    await appears('began');
    first.abort('the worker stops');
    await first.end;
    await first.attempt.leave();
    // Another name: as if the controller had lost it.
    const area = join(first.attempt.folder, 'slurm');
    writeFileSync(join(area, 'name'), JSON.stringify({ name: 'woof:gone', index: null }));
    const second = await start(commands, { fence: 2, adopt: true });
    const { fault } = await second.end;
    expect(fault).toMatchObject({ kind: 'server_error', retryable: true });
    expect(fault!.message).toMatch(/Slurm no longer knows job \d+/);
    expect(statuses(second)).toEqual(['failed']);
  });

  it('asks once for fifty jobs', async () => {
    const began = Date.now();
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        start([sh('sleep 0.1')], { key: `k${index}`, executor: { poll_ms: 500 } }),
      ),
    );
    const ends = await Promise.all(all.map(({ end }) => end));
    expect(ends.filter(({ fault }) => fault)).toEqual([]);
    expect(queue.polls).toBeLessThanOrEqual((Date.now() - began) / 500 + 2);
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

  it('outlives a controller that is killed, and runs nothing twice', async () => {
    const commands = [sh('echo ran >>effects; touch began; sleep 3'), sh('echo ran >>effects')];
    const started = await start(commands);
    await appears('began');
    await cluster.killController();
    await cluster.startController();
    const end = await started.end;
    // Slurm may have lost the job with what it had not written down; then it says so, and nothing ran twice either.
    if (end.fault) expect(end.fault).toMatchObject({ retryable: true });
    else expect(statuses(started)).toEqual(['succeeded', 'succeeded']);
    await sleep(500);
    expect(readFileSync(join(folder, 'work', 'effects'), 'utf8')).toMatch(/^(ran\n){1,2}$/);
  });
});
