/**
 * A list of runs that stays up to date: loaded by a filter, one page at a time, and updated with every row that the
 * server sends.
 *
 * Rows that are shown are replaced in place. If a row is new, or may now match or no longer match the filter, the first
 * page is loaded again, at most twice per second, because only the server knows what a filter matches.
 */
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { listen, type Row } from '../changes.ts';
import { ask } from '../session.ts';
import type { ListQuery } from './run-filter.ts';

export interface RunList {
  rows: Signal<Row[] | undefined>;
  /** Where the next page begins. */
  next: Signal<string | undefined>;
  error: Signal<unknown>;
  more(): Promise<void>;
  again(): Promise<void>;
}

const PAGE = 50;
/** A page that needs more calls is shown short, with a link to the next one. */
const MOST_CALLS = 20;
const AGAIN_MS = 500;

export function useRunList(filter: ListQuery, limit = PAGE): RunList {
  const key = JSON.stringify(filter);
  const list = useMemo(() => createList(filter, limit), [key, limit]);
  useEffect(() => {
    void list.again();
    const forget = listen({ rows: list.changed, reset: () => void list.again() });
    return () => {
      forget();
      list.stop();
    };
  }, [list]);
  return list;
}

function createList(filter: ListQuery, limit: number) {
  const rows = signal<Row[] | undefined>(undefined);
  const next = signal<string | undefined>(undefined);
  const error = signal<unknown>(undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  /** Rows that the server sends while the list is being loaded: they are newer than the answer. */
  let told: Map<string, Row> | undefined;

  /** The server bounds the work of one call: a page may be short, and not the last. */
  const page = async (from: string | undefined) => {
    const executions: Row[] = [];
    let before = from;
    for (let calls = 0; calls < MOST_CALLS; calls++) {
      const query = {
        ...filter,
        limit: limit - executions.length,
        ...(before === undefined ? {} : { before }),
      };
      const found = await ask('executions.list', { query });
      executions.push(...found.executions);
      before = found.next;
      if (before === undefined || executions.length >= limit) break;
    }
    return { executions, next: before };
  };

  const again = async () => {
    const own = ++asked;
    const since = new Map<string, Row>();
    told = since;
    try {
      const found = await page(undefined);
      if (own !== asked) return;
      const executions = found.executions.map((row) => since.get(row.execution_id) ?? row);
      // What a person loaded below the first page stays where it is.
      const below = belowOf(rows.peek() ?? [], executions).filter((row) => couldMatch(filter, row));
      rows.value = [...executions, ...below];
      if (below.length === 0) next.value = found.next;
      error.value = undefined;
    } catch (problem) {
      if (own === asked) error.value = problem;
    }
    if (own === asked) told = undefined;
  };
  const later = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void again();
    }, AGAIN_MS);
  };
  const changed = (changes: readonly Row[]) => {
    for (const row of changes) told?.set(row.execution_id, row);
    const shown = rows.peek();
    if (shown === undefined) return;
    const known = new Map(changes.map((row) => [row.execution_id, row]));
    const isShown = new Set(shown.map((row) => row.execution_id));
    const isNew = changes.some((row) => !isShown.has(row.execution_id) && couldMatch(filter, row));
    const isLost = shown.some((row) => !couldMatch(filter, known.get(row.execution_id) ?? row));
    if (shown.some((row) => known.has(row.execution_id)))
      rows.value = shown.map((row) => known.get(row.execution_id) ?? row);
    if (isNew || isLost) later();
  };
  let isLoadingMore = false;
  const more = async () => {
    if (next.peek() === undefined || isLoadingMore) return;
    isLoadingMore = true;
    try {
      const found = await page(next.peek());
      rows.value = [...(rows.peek() ?? []), ...found.executions];
      next.value = found.next;
    } catch (problem) {
      error.value = problem;
    }
    isLoadingMore = false;
  };
  return { rows, next, error, more, again, changed, stop: () => clearTimeout(timer) };
}

/** The rows below those of a page that was loaded again. */
function belowOf(shown: readonly Row[], page: readonly Row[]): Row[] {
  const last = page.at(-1);
  if (last === undefined) return [];
  const at = shown.findIndex((row) => row.execution_id === last.execution_id);
  return at < 0 ? [] : shown.slice(at + 1);
}

/** False only if a row certainly does not belong to the list. */
function couldMatch({ status, kind, name, path, roots }: ListQuery, row: Row): boolean {
  if (status !== undefined && !status.split(',').includes(row.status)) return false;
  if (kind !== undefined && row.kind !== kind) return false;
  if (name !== undefined && row.name !== name) return false;
  if (path !== undefined && row.path !== path) return false;
  return !(roots === 'true' && row.parent !== undefined);
}
