/**
 * How many values may be made of some bytes. Nulls need none and a yes or no a bit, so a few bytes could say that they are
 * more than fit into memory.
 */
import { ArrowTooLarge } from './arrow-field.ts';

/** What most tables stay below, and what any machine holds. */
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
