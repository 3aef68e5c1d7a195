/**
 * Every job of an execution in the words of the workflow specification, read from the log, because the state no longer has
 * jobs that ended.
 *
 * A job is queued until a worker leases it, and again after its lease ended without a result. A parked job (waiting for a
 * clock, a child or a person) has no lease, so it is queued too. A step that the policy holds back has no job.
 */
import { type Event, emptyState, evolve, type Job, type Plan } from '@woof/net';
import type { MemberRow, Store } from '@woof/stores';

export interface JobAccount {
  job_id: string;
  step: string;
  status: 'queued' | 'running' | 'succeeded' | 'failed';
  fence: number;
  /** Who has it now, and when the lease expires unless the worker sends a heartbeat before. */
  lease: { owner: string; expires_at: number | null } | null;
  queued_at: number;
  started_at?: number;
  ended_at?: number;
  /** Parked until this time (ms), until that execution ends, or until a person answers. */
  until: number | null;
  child: string | null;
  needs_human: boolean;
}

type Worker = Pick<MemberRow, 'id' | 'until'>;

export async function jobsOf(
  store: Store,
  executionId: string,
  plan: Plan,
  workers: readonly Worker[],
): Promise<JobAccount[]> {
  const state = emptyState(executionId, plan);
  const accounts = new Map<string, JobAccount>();
  const live = new Set<string>();
  for await (const { events } of store.read(executionId)) {
    for (const event of events) {
      evolve(state, event);
      const id = event.iteration_id ?? event.step_run_id ?? '';
      const job = state.jobs.get(id);
      if (job && job.status !== 'held') {
        accounts.set(id, standing(job, event, accounts.get(id)));
        live.add(id);
      }
      const mayHaveEnded = ENDS_MANY.has(event.name) ? live : [id];
      for (const each of mayHaveEnded) {
        if (!state.jobs.has(each) && live.delete(each)) end(accounts.get(each)!, event);
      }
    }
  }
  return withExpiry([...accounts.values()], workers);
}

/** These end other jobs too, not only the one that they name. */
const ENDS_MANY: ReadonlySet<Event['name']> = new Set([
  'step.failed',
  'step.cancelled',
  'loop.iteration.failed',
  'workflow.finished',
]);

function standing(job: Job, { at }: Event, before?: JobAccount): JobAccount {
  const { id, step, fence, until, child, human } = job;
  const isRunning = job.status === 'leased';
  const started_at = before?.started_at ?? (isRunning ? at : undefined);
  return {
    job_id: id,
    step,
    status: isRunning ? 'running' : 'queued',
    fence,
    lease: isRunning ? { owner: job.worker!, expires_at: null } : null,
    queued_at: before?.queued_at ?? at,
    ...(started_at === undefined ? {} : { started_at }),
    until,
    child,
    needs_human: human !== null,
  };
}

function end(account: JobAccount, { name, at }: Event): void {
  const status = name === 'step.done' || name === 'loop.iteration.done' ? 'succeeded' : 'failed';
  const nothing = { lease: null, until: null, child: null, needs_human: false };
  Object.assign(account, { status, ended_at: at, ...nothing });
}

function withExpiry(accounts: JobAccount[], workers: readonly Worker[]): JobAccount[] {
  const untils = new Map(workers.map(({ id, until }) => [id, until]));
  for (const { lease } of accounts) if (lease) lease.expires_at = untils.get(lease.owner) ?? null;
  return accounts;
}
