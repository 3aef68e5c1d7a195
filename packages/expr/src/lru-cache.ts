/** A bounded memo by text, which evicts the least recently used entry first. Long keys are not kept. */
const MAX_KEY = 20_000;

export class LruCache<T> {
  readonly #entries = new Map<string, T>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string, make: (key: string) => T): T {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known;
    }
    const made = make(key);
    if (key.length <= MAX_KEY) this.#keep(key, made);
    return made;
  }

  #keep(key: string, value: T): void {
    if (this.#entries.size >= this.#limit) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, value);
  }
}
