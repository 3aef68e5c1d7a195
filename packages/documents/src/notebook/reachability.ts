/**
 * Which cells a cell waits for, directly or not, for all cells at once: one row of bits per cell, filled in the order
 * of the graph. 10,000 cells take 12 MB and a few milliseconds; walking from each of them would take seconds.
 */
export class Reachability {
  readonly #index: ReadonlyMap<string, number>;
  readonly #rows: Uint32Array[] = [];
  readonly #words: number;

  private constructor(ids: readonly string[]) {
    this.#index = new Map(ids.map((id, index) => [id, index]));
    this.#words = Math.ceil(ids.length / 32);
  }

  /** Undefined if the cells form a cycle, or if it would take noticeable time. */
  static of(deps: ReadonlyMap<string, readonly string[]>, most = 400_000_000): Reachability | undefined {
    const size = [...deps.values()].reduce((sum, each) => sum + each.length + 1, 0);
    if ((deps.size / 32) * size > most) return undefined;
    const order = sorted(deps);
    if (order === undefined) return undefined;
    const all = new Reachability(order);
    for (const id of order) all.#add(deps.get(id)!);
    return all;
  }

  waitsFor(id: string, other: string): boolean {
    const index = this.#index.get(other)!;
    return (this.#rows[this.#index.get(id)!]![index >> 5]! & (1 << (index & 31))) !== 0;
  }

  /** A cell waits only for cells before it in the order, so the row ends there. */
  waitsForAny(id: string, others: Uint32Array): boolean {
    const index = this.#index.get(id)!;
    const row = this.#rows[index]!;
    for (let at = 0; at <= index >> 5; at++) if ((row[at]! & others[at]!) !== 0) return true;
    return false;
  }

  /** For `waitsForAny`. */
  setOf(ids: Iterable<string>): Uint32Array {
    const set = new Uint32Array(this.#words);
    for (const id of ids) mark(set, this.#index.get(id)!);
    return set;
  }

  /** The next cell in order. */
  #add(deps: readonly string[]): void {
    const row = new Uint32Array(this.#words);
    for (const dep of deps) {
      const index = this.#index.get(dep);
      if (index === undefined) continue;
      mark(row, index);
      const before = this.#rows[index]!;
      for (let at = 0; at <= index >> 5; at++) row[at]! |= before[at]!;
    }
    this.#rows.push(row);
  }
}

function mark(set: Uint32Array, index: number): void {
  set[index >> 5]! |= 1 << (index & 31);
}

/** Dependencies come first. */
function sorted(deps: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const waiting = new Map<string, number>();
  const followers = new Map<string, string[]>([...deps.keys()].map((id) => [id, []]));
  for (const [id, each] of deps) {
    const known = each.filter((dep) => deps.has(dep));
    waiting.set(id, known.length);
    for (const dep of known) followers.get(dep)!.push(id);
  }
  const order = [...deps.keys()].filter((id) => waiting.get(id) === 0);
  for (const id of order) {
    for (const follower of followers.get(id)!) {
      waiting.set(follower, waiting.get(follower)! - 1);
      if (waiting.get(follower) === 0) order.push(follower);
    }
  }
  return order.length === deps.size ? order : undefined;
}
