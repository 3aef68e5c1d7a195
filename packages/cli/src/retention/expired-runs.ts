/** Which runs are no longer kept: ended, not among the latest of their document, and old enough. */
import type { ExecutionRow } from '@woof/stores';
import type { RetentionLimits } from './retention-limits.ts';

export const DAY_MS = 86_400_000;
const ENDED = ['succeeded', 'failed', 'cancelled'];

type Told = 'name' | 'path' | 'file' | 'status' | 'ended_at' | 'parent';

/** The fields that decide how long a run is kept. */
export type AgedRow = Pick<ExecutionRow, 'execution_id'> & { [key in Told]: ExecutionRow[key] | undefined };

/** `rows`: newest first. A nested run is removed with the one that started it. */
export function expiredRuns(rows: readonly AgedRow[], limits: RetentionLimits, now: number): AgedRow[] {
  const seen = new Map<string, number>();
  const expired = new Set<string>();
  for (const row of rows) {
    if (row.parent !== undefined) continue;
    const document = `${row.path ?? row.file ?? ''}\n${row.name}`;
    const place = seen.get(document) ?? 0;
    seen.set(document, place + 1);
    const age = now - (row.ended_at ?? now);
    if (ENDED.includes(row.status ?? '') && place >= limits.keepLast && age >= limits.keepDays * DAY_MS) {
      expired.add(row.execution_id);
    }
  }
  const known = new Map(rows.map((row) => [row.execution_id, row]));
  return rows.filter((row) => expired.has(rootOf(row, known)));
}

function rootOf(row: AgedRow, known: ReadonlyMap<string, AgedRow>): string {
  let at = row;
  for (let above = at.parent; above !== undefined; above = at.parent) {
    const parent = known.get(above);
    if (parent === undefined) break;
    at = parent;
  }
  return at.execution_id;
}
