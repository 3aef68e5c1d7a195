/** References to stored values belong to what templates know; here they get the types of documents and events. */
import * as expr from '@woof/expr';
import type { Json } from './json.ts';

export type { Handle, Reference } from '@woof/expr';
export {
  BlobError,
  type BlobFault,
  handleOf,
  hasStoredParts,
  holdsStored,
  isHandle,
  isReference,
  isStoredList,
  isSurelyWithin,
  mayHoldReference,
  oversize,
  referenceIn,
  storedSize,
  tooLarge,
  wholeSize,
} from '@woof/expr';

export const hintOf = (value: Json): Json => expr.hintOf(value) as Json;

/** The value with every reference replaced by what is stored, however deep. */
export const settled = (value: Json, load: (reference: expr.Reference) => unknown): Json =>
  expr.settled(value, load) as Json;

/** Marks external data as data: see `expr`. */
export const asData = <T>(value: T, isOwn?: (reference: expr.Reference) => boolean): T =>
  expr.asData(value, isOwn) as T;

/** Adds to a loading error which value could not be loaded. */
export function naming<T>(what: string, load: (reference: expr.Reference) => T): typeof load {
  return (reference) => named(what, () => load(reference));
}

/** The same for whatever reads values. */
export function named<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof expr.BlobError)) throw error;
    throw new expr.BlobError(error.fault, `${what} cannot be loaded: ${error.message}`);
  }
}

/** The value with nothing of it stored, for whoever reads it: unless it has more than `most` bytes. */
export function settledWithin(
  value: Json,
  most: number | undefined,
  load: (reference: expr.Reference) => unknown,
): Json {
  const error = expr.oversize(value, most);
  if (error) throw error;
  return settled(value, load);
}

/** The parts of a list that is stored in parts: the stored ones, and lists. Undefined: it is stored as a whole. */
export const listParts = (reference: expr.Reference): Json[] | undefined =>
  expr.listParts(reference) as Json[] | undefined;
