/** References to stored values are part of what templates know; here they get the types of documents and events. */
import * as expr from '@woof/expr';
import type { Json } from './json.ts';

export type { Handle, Reference } from '@woof/expr';
export {
  handleOf,
  hasStoredParts,
  holdsStored,
  isHandle,
  isReference,
  isStoredList,
  referenceIn,
  storedSize,
} from '@woof/expr';

export const hintOf = (value: Json): Json => expr.hintOf(value) as Json;

/** The value with what is stored in place of references, however deep they lie. */
export const settled = (value: Json, load: (reference: expr.Reference) => unknown): Json =>
  expr.settled(value, load) as Json;

/** A list that is stored in parts: the stored ones, and lists. Undefined: what is stored is whole. */
export const listParts = (reference: expr.Reference): Json[] | undefined =>
  expr.listParts(reference) as Json[] | undefined;
