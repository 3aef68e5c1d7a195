/** A value for display: stored parts of at most 100 KB are in place, and larger ones are references. */
import { BlobError, Float, isReference, type Json, type Reference, storedSize } from '@woof/net';
import type { Values } from '@woof/stores';

const SHOWN_BYTES = 100_000;

export class ShownValues {
  /** A value became a reference here, which is not stored anywhere. */
  madeReference = false;

  constructor(private readonly values: Values) {}

  shown(value: Json): Json {
    if (value === null || typeof value !== 'object' || value instanceof Float) return this.bounded(value);
    if (isReference(value)) return this.stored(value);
    if (Array.isArray(value)) return this.bounded(value.map((item) => this.shown(item)));
    const fields = Object.entries(value).map(([key, item]) => [key, this.shown(item)] as const);
    return this.bounded(Object.fromEntries(fields));
  }

  private stored(reference: Reference): Json {
    if (storedSize(reference) > SHOWN_BYTES) return reference;
    try {
      return this.shown(this.values.resolve(reference));
    } catch (error) {
      if (!(error instanceof BlobError)) throw error;
      return reference;
    }
  }

  private bounded(value: Json): Json {
    const kept = this.values.offload(value, SHOWN_BYTES);
    if (kept !== value) this.madeReference = true;
    return kept;
  }
}
