/** References to stored values are part of what templates know; here they get the types of documents and events. */
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
  referenceIn,
  storedSize,
  tooLarge,
} from '@woof/expr';

export const hintOf = (value: Json): Json => expr.hintOf(value) as Json;

/** The value with what is stored in place of references, however deep they lie. */
export const settled = (value: Json, load: (reference: expr.Reference) => unknown): Json =>
  expr.settled(value, load) as Json;

/** Outside data as data: see `expr`. */
export const asData = <T>(value: T, isOwn?: (reference: expr.Reference) => boolean): T =>
  expr.asData(value, isOwn) as T;

/** Says which value it is that cannot be loaded. */
export function naming<T>(what: string, load: (reference: expr.Reference) => T): typeof load {
  return (reference) => {
    try {
      return load(reference);
    } catch (error) {
      if (!(error instanceof expr.BlobError)) throw error;
      throw new expr.BlobError(error.fault, `${what} cannot be loaded: ${error.message}`);
    }
  };
}

/** A list that is stored in parts: the stored ones, and lists. Undefined: what is stored is whole. */
export const listParts = (reference: expr.Reference): Json[] | undefined =>
  expr.listParts(reference) as Json[] | undefined;
