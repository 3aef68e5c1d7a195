/** Jinja2 expressions and templates for Woof. */
export { Allowance, sharing } from './allowance.ts';
export { BlobError, type BlobFault, tooLarge } from './blob-error.ts';
export type { Read } from './compile-context.ts';
export { decodeFinite, decodeJson, decodeStored, encodeJson, encodeStored } from './exact-json.ts';
export { Float, makeFloat } from './float.ts';
export { hintOf } from './hint.ts';
export { didYouMean } from './nearest.ts';
export { sum } from './numbers.ts';
export { notFiniteWords } from './python-json.ts';
export { Range } from './range.ts';
export {
  asData,
  type Handle,
  handleOf,
  hasStoredParts,
  holdsStored,
  isHandle,
  isReference,
  isStoredList,
  listParts,
  mayHoldReference,
  type Reference,
  referenceIn,
  settled,
  storedSize,
} from './reference.ts';
export type { Host, Scope } from './runtime.ts';
export { scopeOf } from './scope.ts';
export { type StandIn, standInOf, standsFor } from './stand-in.ts';
export { compile, compileExpression, isTemplate, type Template } from './template.ts';
export { TemplateError } from './template-error.ts';
export { isSurelyWithin, leastSize, oversize, wholeSize } from './value-size.ts';
