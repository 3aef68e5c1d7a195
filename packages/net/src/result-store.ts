/** Results that are neither in the log nor in the data directory or the server, but where a document wants them. */
import { isReference, type Reference } from './reference.ts';

/** What a linter must know about a result store; each kind is declared with its client (`tools`). */
export interface ResultStoreSchema {
  summary: string;
  /** In addition to `kind`. */
  fields: Readonly<Record<string, string>>;
}

/** Whether the value is in a store that a document named. */
export function isElsewhere(value: unknown): value is Reference {
  return isReference(value) && value.store.includes(':');
}
