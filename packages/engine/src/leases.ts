/**
 * Jobs that workers of other processes hold: what they report, what still belongs to them, what is taken back.
 *
 * Owns: which worker holds a job, according to the log, and how long a lease lives without a heartbeat. Does not own:
 * who gets a job (dispatch.ts, desk.ts), who is alive (upkeep.ts).
 */
import { type Command, isEnded, type State } from '@woof/net';
import { StoreError } from '@woof/stores';
import type { Decisions } from './decisions.ts';
import type { EngineOptions, HeldJob, Reported } from './engine-options.ts';
import type { LiveExecution } from './live-execution.ts';
import type { Loading } from './loading.ts';

/** A worker or server that sends no heartbeat for this long is considered gone, and the leases of its jobs expire. */
export const LEASE_TTL_MS = 10_000;
/** Heartbeats that a worker sends in that time. */
export const BEATS_IN_TTL = 3;
const DECIDED_AT_ONCE = 32;

export interface LeaseParts {
  readonly options: Pick<EngineOptions, 'onFault'>;
  readonly live: ReadonlyMap<string, LiveExecution>;
  readonly decisions: Pick<Decisions, 'decide' | 'guarded' | 'turn'>;
  readonly loading: Pick<Loading, 'stored'>;
}

export class Leases {
  constructor(private readonly parts: LeaseParts) {}

  /**
   * Accepts the reports of a worker in another process; returns for each whether the job still belongs to it. Durable
   * when it resolves.
   */
  async reportJobs(worker: string, batch: readonly Reported[]): Promise<boolean[]> {
    const byExecution = new Map<string, Reported[]>();
    for (const item of batch) {
      const items = byExecution.get(item.execution_id);
      if (items) items.push(item);
      else byExecution.set(item.execution_id, [item]);
    }
    const held = new Map<Reported, boolean>();
    await this.inTurns([...byExecution], (id, items) => this.reportAll(id, worker, items, held));
    return batch.map((item) => held.get(item) ?? false);
  }

  /** When there is much to decide, others get their turn between executions; everything becomes durable together. */
  private async inTurns(
    all: readonly [string, Reported[]][],
    decide: (executionId: string, items: Reported[]) => Promise<void>,
  ): Promise<void> {
    const decided: Promise<void>[] = [];
    let count = 0;
    for (const [id, items] of all) {
      if (count > DECIDED_AT_ONCE) {
        await new Promise((resolve) => setImmediate(resolve));
        count = 0;
      }
      count += items.length;
      decided.push(decide(id, items));
      // It is reported below, with the first of them.
      decided.at(-1)!.catch(() => {});
    }
    await Promise.all(decided);
  }

  /**
   * In the order in which they were made, each time that they must be decided again. A fault of one execution does not
   * affect the others: its jobs are handed out again when their worker no longer names them.
   */
  private async reportAll(
    executionId: string,
    worker: string,
    items: readonly Reported[],
    held: Map<Reported, boolean>,
  ): Promise<void> {
    // Only of the execution that accepted them: an earlier attempt may have been on one that is lost.
    let taken: LiveExecution | undefined;
    const { decisions, options } = this.parts;
    try {
      const result = await decisions.decide(executionId, (execution) => {
        const turns = items.map((item) => decisions.turn(execution, reportOf(item, worker)));
        const refused = turns.find(({ refusal }) => refusal !== undefined);
        return { taken: execution, ...(refused?.refusal ? { refusal: refused.refusal } : {}) };
      });
      if ('taken' in result) ({ taken } = result);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      options.onFault?.(executionId, error);
      return;
    }
    for (const item of items) held.set(item, taken !== undefined && isHeldIn(taken, worker, item));
  }

  /**
   * Those of the given jobs that the log leases to that worker; their executions may belong to another server.
   * `isCurrent` false: this server was silent, so others may have written to what is in memory here.
   */
  async heldAmong(worker: string, jobs: readonly HeldJob[], isCurrent: boolean): Promise<Set<HeldJob>> {
    const held = new Set<HeldJob>();
    const states = new Map<string, State | undefined>();
    for (const job of jobs) {
      const id = job.execution_id;
      const live = isCurrent ? this.parts.live.get(id) : undefined;
      if (live !== undefined && isHeldIn(live, worker, job)) {
        held.add(job);
        continue;
      }
      if (!states.has(id)) states.set(id, await this.parts.loading.stored(id));
      const state = states.get(id);
      const found = state && !isEnded(state) ? state.jobs.get(job.job_id) : undefined;
      if (found?.status === 'leased' && found.fence === job.fence && found.worker === worker) held.add(job);
    }
    return held;
  }

  /** By worker: the jobs that it holds now, of executions driven here. */
  byWorker(): Map<string, HeldJob[]> {
    const jobs = new Map<string, HeldJob[]>();
    for (const { id, held, state } of this.parts.live.values()) {
      for (const [job_id, { fence }] of held) {
        const worker = state.jobs.get(job_id)?.worker;
        if (typeof worker !== 'string') continue;
        const job = { execution_id: id, job_id, fence };
        const known = jobs.get(worker);
        if (known) known.push(job);
        else jobs.set(worker, [job]);
      }
    }
    return jobs;
  }

  /** Expires what a lost worker held. */
  expire(worker: string, jobs: Iterable<HeldJob>): void {
    for (const job of [...jobs]) this.expireJob(job, `worker ${worker} is lost`);
  }

  expireJob({ execution_id, job_id, fence }: HeldJob, reason: string): void {
    const execution = this.parts.live.get(execution_id);
    if (execution) this.parts.decisions.guarded(execution, { type: 'ExpireJob', job_id, fence, reason });
  }

  /** What the log leases to a worker, of executions driven here. */
  *heldBy(worker: string): Iterable<HeldJob> {
    for (const { id, held, state } of this.parts.live.values()) {
      for (const [job_id, { fence }] of held) {
        if (state.jobs.get(job_id)?.worker === worker) yield { execution_id: id, job_id, fence };
      }
    }
  }
}

function isHeldIn({ held, state }: LiveExecution, worker: string, { job_id, fence }: HeldJob): boolean {
  return held.get(job_id)?.fence === fence && state.jobs.get(job_id)?.worker === worker;
}

function reportOf({ job_id, fence, reports }: Reported, worker: string): Command {
  return { type: 'ReportJob', job_id, fence, reports, worker };
}
