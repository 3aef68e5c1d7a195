/**
 * Limits how many values may be read from a given number of bytes. Nulls take no bytes and booleans one bit, so a few
 * bytes could claim more values than fit in memory.
 */
import { ArrowTooLarge } from './arrow-field.ts';

/** Most tables have fewer values than this, and any machine can hold as many. */
const WITHOUT_BYTES = 4_000_000;

export class CellBudget {
  private readonly most: number;
  private left: number;

  constructor(bytes: number) {
    this.most = WITHOUT_BYTES + bytes;
    this.left = this.most;
  }

  take(cells: number): number {
    this.left -= cells;
    if (this.left >= 0) return cells;
    throw new ArrowTooLarge(
      `it has more than ${this.most} values, which is too many at once; read it with a duckdb task, through "tables"`,
    );
  }
}
