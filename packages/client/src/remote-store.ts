/** The part of a store that readers need, over HTTP: code that reads a local log can read a server's log. */
import { encodeStored, fromEnvelope, type Plan, readPlan } from '@woof/net';
import { Problem } from '@woof/protocol';
import type {
  ExecutionFilter,
  ExecutionRow,
  Frame,
  ListPage,
  ListQuery,
  ReadStore,
  Snapshot,
} from '@woof/stores';
import type { Client } from './client.ts';

const PAGE = 1000;

export class RemoteStore implements ReadStore {
  constructor(private readonly client: Client) {}

  async *read(id: string, from = 0): AsyncIterable<Frame> {
    for (let start = from; ; ) {
      const query = { from: start, limit: PAGE };
      const page = await this.client.call('executions.events', { params: { id }, query });
      const events = page.events.map(fromEnvelope);
      if (events.length > 0) yield { from: start, events };
      if (page.next === undefined) return;
      start = page.next;
    }
  }

  async plan(hash: string): Promise<Plan | undefined> {
    const plan = await this.client.call('plans.get', { params: { hash } }).catch(absent);
    return plan && readPlan(plan);
  }

  async execution(id: string): Promise<ExecutionRow | undefined> {
    return this.client.call('executions.row', { params: { id } }).catch(absent);
  }

  async executions({ limit = Number.POSITIVE_INFINITY, ...filter }: ExecutionFilter = {}) {
    const rows: ExecutionRow[] = [];
    const { status, wanting, driver, ...rest } = filter;
    const hasMore = Array.isArray(status) || wanting !== undefined || driver !== undefined;
    for (let before = filter.before; rows.length < limit; ) {
      const query = {
        ...rest,
        roots: filter.roots === true ? ('true' as const) : undefined,
        ...(typeof status === 'string' ? { status } : {}),
        ...(before === undefined ? {} : { before }),
        // Rows that are filtered out here must not make the page smaller than requested.
        limit: hasMore ? PAGE : Math.min(PAGE, limit - rows.length),
      };
      const page = await this.client.call('executions.list', { query });
      rows.push(...page.executions.filter((row) => isMeant(row, filter)));
      if (page.next === undefined) break;
      before = page.next;
    }
    return rows.slice(0, limit);
  }

  async list({ status, roots, workload = {}, ...filter }: ListQuery = {}): Promise<ListPage> {
    const inputs = Object.entries(workload).map(([key, value]) => [`workload.${key}`, value]);
    const query = {
      ...filter,
      ...(status === undefined ? {} : { status: status.join(',') }),
      ...(roots ? { roots: 'true' as const } : {}),
      ...Object.fromEntries(inputs),
    };
    return this.client.call('executions.list', { query });
  }

  /** The server folds the log; later events are read as after any snapshot. */
  async snapshot(id: string): Promise<Snapshot | undefined> {
    const { seq, state } = await this.client.call('executions.state', { params: { id } });
    return { seq, state: encodeStored(state) };
  }

  async close(): Promise<void> {}
}

/** Applies the filters that the call does not support. */
function isMeant(row: ExecutionRow, { status, wanting, driver }: ExecutionFilter): boolean {
  if (Array.isArray(status) && !status.includes(row.status)) return false;
  if (wanting && row.wants == null) return false;
  return driver === undefined || row.driver === driver;
}

function absent(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'not-found') return undefined;
  throw error;
}
