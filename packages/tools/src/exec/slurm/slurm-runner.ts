/** Runs blocks as jobs on a Slurm cluster whose nodes see the same folders as this worker. */
import { join } from 'node:path';
import { NO_LONGER_WANTED } from '@woof/net';
import { FieldFault } from '../../fields.ts';
import type { Attempt } from '../attempt.ts';
import { JOB_AREA } from '../bundle-names.ts';
import type { ExecBlock } from '../exec-block.ts';
import type { ExecRunner, RunnerEnd, RunnerHost } from '../exec-runner.ts';
import { JobArea } from './job-area.ts';
import { OutputCopy } from './output-copy.ts';
import { groupOf, SHOWN_SCRIPT, SlurmBlock, type SlurmParts } from './slurm-block.ts';
import { SlurmFault } from './slurm-commands.ts';
import { type SlurmOptions, toSlurmOptions } from './slurm-options.ts';
import { SlurmQueue } from './slurm-queue.ts';
import { Submitter } from './submitter.ts';

/** Files of the area that the bundle keeps, with their names there. */
const KEPT = {
  [SHOWN_SCRIPT]: 'slurm-job.sh',
  'slurm.stdout.log': 'slurm.stdout.log',
  'slurm.stderr.log': 'slurm.stderr.log',
};

type Fault = NonNullable<RunnerEnd['fault']>;

export function createSlurmRunner(
  parts: SlurmParts = { queue: new SlurmQueue(), submitter: new Submitter() },
): ExecRunner {
  const ending = new Set<Promise<unknown>>();
  return {
    outlives: true,
    goesOn: (attempt) => areaOf(attempt).has('name'),
    announce(block, executionId, stage) {
      const group = groupOf(block, executionId);
      return group ? parts.submitter.expect(group, stage) : () => {};
    },
    async run(block, attempt, host) {
      const end = run(parts, block, attempt, host);
      ending.add(end);
      return end.finally(() => ending.delete(end));
    },
    /** A job that nobody wants any more is cancelled before the worker stops. */
    async close() {
      await Promise.allSettled(ending);
    },
  };
}

async function run(
  parts: SlurmParts,
  block: ExecBlock,
  attempt: Attempt,
  host: RunnerHost,
): Promise<RunnerEnd> {
  if (host.isolation)
    return refused(
      'policy',
      'sandbox: true needs executor: {kind: local}, because Slurm jobs are not sandboxed',
    );
  const options = optionsOf(block);
  if (typeof options === 'string') return refused('schema', options);
  const area = areaOf(attempt);
  const fresh = await area.make();
  const group = groupOf(block, host.executionId);
  // It already has its job, which may run for long, so the rest of its matrix does not wait for it.
  if (!fresh && group) parts.submitter.withdraw(group, host.stage);
  await area.own(host.fence);
  const job = new SlurmBlock(parts, options, block, attempt, area, host, aborted(host.signal));
  try {
    return await perform(job, fresh, area, attempt, host);
  } catch (error) {
    // Without room for its results, it is not worth running. A job that a later lease has is not ours to end.
    if (await area.isOwnedBy(host.fence)) await job.cancel().catch(() => undefined);
    throw error;
  }
}

async function perform(
  job: SlurmBlock,
  fresh: boolean,
  area: JobArea,
  attempt: Attempt,
  host: RunnerHost,
): Promise<RunnerEnd> {
  const fault = host.signal.aborted ? undefined : await watch(job, fresh, () => area.isOwnedBy(host.fence));
  if ((host.signal.aborted && !isUnwanted(host.signal)) || !(await area.isOwnedBy(host.fence))) {
    await job.release();
    return { left: true };
  }
  const stopped = host.signal.aborted ? await stop(job, host.signal) : fault;
  return { ...(await finish(job, area, attempt, host)), ...(stopped ? { fault: stopped } : {}) };
}

function areaOf({ folder }: Attempt): JobArea {
  return new JobArea(join(folder, JOB_AREA));
}

function refused(kind: Fault['kind'], message: string): RunnerEnd {
  return { fault: { kind, message } };
}

function optionsOf({ executor }: ExecBlock): SlurmOptions | string {
  try {
    return toSlurmOptions(executor);
  } catch (error) {
    if (error instanceof FieldFault) return `executor: ${error.message}`;
    throw error;
  }
}

async function watch(
  job: SlurmBlock,
  fresh: boolean,
  isOurs: () => Promise<boolean>,
): Promise<Fault | undefined> {
  try {
    return await job.run(fresh);
  } catch (error) {
    if (!(error instanceof SlurmFault)) throw error;
    // It may still be in the queue, where nobody would wait for it.
    if (await isOurs()) await job.cancel().catch(() => undefined);
    await job.close(error.message, false);
    return {
      kind: error.passing ? 'connection' : 'client_error',
      message: error.message,
      retryable: error.passing,
    };
  }
}

/** If only this worker stops, or another one has the block by now, its job continues. */
function isUnwanted({ reason }: AbortSignal): boolean {
  return reason === 'timeout' || reason === NO_LONGER_WANTED;
}

async function stop(job: SlurmBlock, { reason }: AbortSignal): Promise<Fault> {
  const late = reason === 'timeout';
  const why = `the block ${late ? 'reached its timeout' : 'is no longer needed'}`;
  // Done first, so that a command that the cancellation ends does not count as failed.
  await job.close(why, late);
  const said = await job.cancel().then(
    () => `Slurm job ${job.id} was cancelled`,
    (error: Error) => `Slurm job ${job.id} could not be cancelled: ${error.message}`,
  );
  return { kind: late ? 'timeout' : 'cancelled', message: `${why}; ${said}` };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** Copies what the bundle keeps, without secrets, and removes the area. */
async function finish(
  job: SlurmBlock,
  area: JobArea,
  attempt: Attempt,
  host: RunnerHost,
): Promise<RunnerEnd> {
  for (const [from, to] of Object.entries(KEPT)) {
    await new OutputCopy(area.path(from), join(attempt.folder, to), host.redactor, () => {}).end();
  }
  await area.remove();
  return { manifest: { slurm_job_id: job.id ?? null }, extraFiles: Object.values(KEPT) };
}
