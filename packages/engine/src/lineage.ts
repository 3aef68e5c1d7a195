/**
 * Which run an execution belongs to: itself, or the run that a person started and that called it, directly or
 * indirectly.
 */
import type { Parent } from '@woof/net';
import { type ExecutionRow, everyExecution, type ReadStore } from '@woof/stores';

export const UNENDED = ['running', 'paused', 'needs_human'] as const;

export interface Lineage {
  root: string;
  /** How deeply it is nested in that run; 0: it is that run. */
  depth: number;
}

/** From its log. Logs of earlier versions name only the caller. */
export function lineageOf(executionId: string, parent: Parent | undefined): Lineage {
  if (parent === undefined) return { root: executionId, depth: 0 };
  return { root: parent.root ?? parent.execution_id, depth: parent.depth ?? 1 };
}

/** From the rows of its callers. */
export async function outermostRow(
  store: Pick<ReadStore, 'execution'>,
  row: ExecutionRow,
): Promise<ExecutionRow> {
  const caller = row.parent === undefined ? undefined : await store.execution(row.parent);
  return caller ? outermostRow(store, caller) : row;
}

/**
 * The run that a person resumes with it: its outermost run or, if that ended without it, the outermost that has not
 * ended.
 */
export async function rowToResume(
  store: Pick<ReadStore, 'execution'>,
  row: ExecutionRow,
): Promise<ExecutionRow> {
  const outermost = await outermostRow(store, row);
  return outermost.ended_at === undefined || row.ended_at !== undefined ? outermost : leftRow(store, row);
}

async function leftRow(store: Pick<ReadStore, 'execution'>, row: ExecutionRow): Promise<ExecutionRow> {
  const caller = row.parent === undefined ? undefined : await store.execution(row.parent);
  return caller && caller.ended_at === undefined ? leftRow(store, caller) : row;
}

/** Nested runs of an outermost run that ended without them, because its process died before it could end them. */
export async function leftBehind(
  store: Pick<ReadStore, 'execution' | 'executions'>,
  outermost: ExecutionRow,
): Promise<ExecutionRow[]> {
  const left: ExecutionRow[] = [];
  if (outermost.ended_at === undefined) return left;
  for await (const row of everyExecution(store, { status: UNENDED })) {
    const { execution_id: id } = await outermostRow(store, row);
    if (id === outermost.execution_id) left.push(row);
  }
  return left;
}

/** The id of the outermost run; for an unknown id, the id itself. */
export async function outermostId(store: Pick<ReadStore, 'execution'>, executionId: string): Promise<string> {
  const row = await store.execution(executionId);
  return row === undefined ? executionId : (await outermostRow(store, row)).execution_id;
}
