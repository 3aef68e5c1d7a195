/** What a list can be filtered by, and the one rule for what belongs to it: however a row is found, this decides. */
import type { ExecutionStatus } from '@woof/net';
import type { ExecutionRow } from '../store.ts';

export interface ListFilter {
  status?: readonly ExecutionStatus[];
  kind?: string;
  name?: string;
  path?: string;
  parent?: string;
  /** Only executions that no other execution started. */
  roots?: boolean;
  /** Found anywhere in name, path, file, id or error, ignoring case. */
  q?: string;
  /** `started_at` is at or after `since`, and before `until`. */
  since?: number;
  until?: number;
  /** The same for `ended_at`; executions that have not ended do not match. */
  ended_since?: number;
  ended_until?: number;
  /** Top-level scalars of the workload, as `inputsOf` writes them. */
  workload?: Readonly<Record<string, string>>;
  /** Only executions in which a step waits for a person. */
  asking?: boolean;
}

export type ListOrder = 'newest' | 'oldest';

export interface ListQuery extends ListFilter {
  order?: ListOrder;
  /** `next` of the previous page. */
  before?: string;
  limit?: number;
}

export interface ListPage {
  executions: ExecutionRow[];
  /**
   * There may be more. A page with this can be short, or empty: the search stops after a number of rows and answers.
   */
  next?: string;
}

/** A row with what lists know about it. */
export interface Listed {
  /** Ordered by start. */
  no: number;
  row: ExecutionRow;
  inputs: Readonly<Record<string, string>> | undefined;
}

export function matches({ row, inputs }: Omit<Listed, 'no'>, filter: ListFilter): boolean {
  if (filter.status !== undefined && !filter.status.includes(row.status)) return false;
  if (filter.roots && row.parent) return false;
  if (filter.asking && !isAsking(row)) return false;
  for (const key of ['kind', 'name', 'path', 'parent'] as const)
    if (filter[key] !== undefined && filter[key] !== row[key]) return false;
  if (!isWithin(row.started_at, filter.since, filter.until)) return false;
  if (!isWithin(row.ended_at, filter.ended_since, filter.ended_until)) return false;
  for (const [key, value] of Object.entries(filter.workload ?? {}))
    if (inputs === undefined || !Object.hasOwn(inputs, key) || inputs[key] !== value) return false;
  return filter.q === undefined || holdsText(row, filter.q.toLowerCase());
}

export function isAsking({ status, asks }: ExecutionRow): boolean {
  return status === 'needs_human' || asks === true;
}

/** Where `q` is searched for, besides the id. */
export function textsOf({ name, path, file, error }: ExecutionRow): string[] {
  return [name, path, file, error].flatMap((text) => (text ? [text.toLowerCase()] : []));
}

function holdsText(row: ExecutionRow, text: string): boolean {
  return row.execution_id.toLowerCase().includes(text) || textsOf(row).some((each) => each.includes(text));
}

function isWithin(time: number | undefined, from: number | undefined, to: number | undefined): boolean {
  if (from === undefined && to === undefined) return true;
  if (time === undefined) return false;
  return (from === undefined || time >= from) && (to === undefined || time < to);
}
