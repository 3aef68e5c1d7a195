/** Lists of executions, counts by status, and the steps that are waiting for approval. */
import { type Job, questionsOf, type State } from '@woof/net';
import { Problem } from '@woof/protocol';
import type { ExecutionRow, ListPage, ListQuery } from '@woof/stores';
import type { Handlers } from '../handler.ts';
import type { Parts } from '../parts.ts';

type Names = 'executions.list' | 'executions.counts' | 'executions.gates';

/** Small, because each execution must be loaded to find what it asks for. */
const GATES_PAGE = 50;

export function executionLists(parts: Parts): Pick<Handlers<'executions'>, Names> {
  const { store } = parts;
  return {
    'executions.list': ({ query }) => pageOf(store, defined(query) as ListQuery),
    'executions.counts': async () => ({ counts: await store.counts() }),
    'executions.gates': async ({ query: { before, limit = GATES_PAGE } }) => {
      const cursor = before === undefined ? {} : { before };
      const { executions, next } = await pageOf(store, { asking: true, limit, ...cursor });
      const gates = [];
      for (const row of executions) gates.push(...(await gatesOf(parts, row)));
      return { gates, ...(next === undefined ? {} : { next }) };
    },
  };
}

/** A cursor whose run was removed must not look like the end of the list. */
async function pageOf(store: Parts['store'], query: ListQuery): Promise<ListPage> {
  const page = await store.list(query);
  const { before } = query;
  if (before === undefined || page.executions.length > 0 || page.next !== undefined) return page;
  if ((await store.execution(before)) !== undefined) return page;
  throw new Problem(
    'request/conflict',
    `before: there is no run "${before}" (any more); start again with the first page`,
  );
}

/** Empty for a run that cannot be loaded: it must not hide the gates of the others. */
async function gatesOf({ engine, log }: Parts, row: ExecutionRow) {
  const state = await engine.storedState(row.execution_id).catch((error: unknown) => {
    log.warn('the gates of a run cannot be read', { execution_id: row.execution_id, error: String(error) });
  });
  if (state === undefined) return [];
  // The questions of a nested run are listed under that run.
  const own = questionsOf(state).filter(({ execution_id }) => execution_id === row.execution_id);
  return own.map(({ execution_id, step, reason, needs_override, approvers }) => ({
    execution_id,
    name: row.name,
    step,
    since: sinceOf(state, step) ?? row.started_at,
    message: reason,
    ...(needs_override ? { blocked_by_policy: true } : {}),
    ...(approvers ? { approvers } : {}),
  }));
}

function sinceOf(state: State, step: string): number | undefined {
  const asks = (job: Job) => job.human && (job.id === step || job.step === step);
  const since = [...state.jobs.values()].find(asks)?.human?.since;
  return typeof since === 'number' ? since : undefined;
}

function defined<T extends object>(query: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
