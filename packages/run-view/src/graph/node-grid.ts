/** Finds nodes by place: rows, and in each row from left to right. */
import { type Drawing, NODE, type Numbers } from '@woof/documents/graph';
import { countUpTo } from '../count-up-to.ts';

const PITCH = NODE.height + NODE.gapY;

export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export class NodeGrid {
  readonly #rows: number[][] = [];
  readonly #x: Numbers;

  constructor({ x, layer }: Drawing) {
    this.#x = x;
    Array.from(layer).forEach((row, node) => {
      this.#rows[row] ??= [];
      this.#rows[row].push(node);
    });
    for (const row of this.#rows) row.sort((a, b) => x[a]! - x[b]!);
  }

  *within({ left, top, right, bottom }: Area): Generator<number> {
    const last = Math.min(this.#rows.length - 1, Math.floor(bottom / PITCH));
    for (let i = Math.max(0, Math.floor((top - NODE.height) / PITCH)); i <= last; i++) {
      const row = this.#rows[i]!;
      const first = countUpTo(row.length, (at) => this.#x[row[at]!]! + NODE.width < left);
      for (let at = first; at < row.length && this.#x[row[at]!]! <= right; at++) yield row[at]!;
    }
  }

  at(x: number, y: number): number | undefined {
    if (y - Math.floor(y / PITCH) * PITCH > NODE.height) return undefined;
    return [...this.within({ left: x, right: x, top: y, bottom: y })].at(-1);
  }

  /** The next node in a direction of the keyboard. */
  next(node: number, key: string, { x, layer }: Drawing): number | undefined {
    const own = layer[node]!;
    const row = this.#rows[own]!;
    if (key === 'ArrowLeft') return row[row.indexOf(node) - 1];
    if (key === 'ArrowRight') return row[row.indexOf(node) + 1];
    const other = this.#rows[own + (key === 'ArrowUp' ? -1 : 1)] ?? [];
    const distance = (each: number) => Math.abs(x[each]! - x[node]!);
    return other.reduce<number | undefined>(
      (best, each) => (best === undefined || distance(each) < distance(best) ? each : best),
      undefined,
    );
  }
}
