/** Stored values for code that cannot wait for them: it runs again when what it asked for is loaded. */
import { BlobError } from '@woof/expr';
import type { LoadValue, Reference } from '@woof/net';
import { loaded } from '@woof/stores';
import type { Home } from './home.ts';

/** An explanation is not worth more memory. Larger values stay where they are. */
const MOST_BYTES = 64 * 1024 * 1024;

export class LoadedOnce {
  readonly #values = new Map<string, unknown>();
  #bytes = 0;

  constructor(private readonly home: Pick<Home, 'text'>) {}

  async using<T>(use: (load: LoadValue) => T): Promise<T> {
    for (;;) {
      const missing = new Map<string, Reference>();
      const found = use((reference) => this.#get(reference, missing));
      if (missing.size === 0) return found;
      for (const [key, reference] of missing) this.#values.set(key, await this.#load(reference));
    }
  }

  #get(reference: Reference, missing: Map<string, Reference>): unknown {
    const key = `${reference.store} ${reference.key}`;
    if (!this.#values.has(key)) missing.set(key, reference);
    const value = this.#values.get(key);
    if (value === undefined) throw new BlobError('not_at_hand', 'it is stored elsewhere');
    return value;
  }

  /** Undefined if it cannot be loaded. */
  async #load(reference: Reference): Promise<unknown> {
    if (this.#bytes + reference.size > MOST_BYTES) return undefined;
    this.#bytes += reference.size;
    return loaded(reference, (each) => this.home.text(each)).catch(() => undefined);
  }
}
