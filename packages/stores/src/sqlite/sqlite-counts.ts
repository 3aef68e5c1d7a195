/** How many root executions have each status: added up in memory, and written once per commit. */
import { type ExecutionRow, NO_COUNTS, type StatusCounts } from '../store.ts';
import type { Sql } from './sql.ts';

const ADD = `INSERT INTO status_counts VALUES (?1, ?2)
  ON CONFLICT (status) DO UPDATE SET count = count + ?2`;

export class SqliteCounts {
  private readonly unsaved = new Map<string, number>();

  constructor(private readonly sql: Sql) {}

  add({ status, parent }: ExecutionRow, by: 1 | -1): void {
    if (!parent) this.unsaved.set(status, (this.unsaved.get(status) ?? 0) + by);
  }

  /** Call inside the transaction that changed the rows. */
  save(): void {
    for (const [status, by] of this.unsaved) if (by !== 0) this.sql.run(ADD, status, by);
    this.unsaved.clear();
  }

  /** The transaction was rolled back. */
  forget(): void {
    this.unsaved.clear();
  }

  read(): StatusCounts {
    const rows = this.sql.all<{ status: keyof StatusCounts; count: number }>(
      'SELECT status, count FROM status_counts',
    );
    return { ...NO_COUNTS, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
  }
}
