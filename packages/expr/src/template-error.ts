/**
 * Owns: the only error that leaves this package, and `Fault`, which operations throw before the position is known.
 * Invariant: a Fault never leaves the package. `evaluate`, `render` and `test` turn it into a TemplateError with the
 * expression as written and its position.
 */

export type ErrorCode =
  | 'expr/syntax'
  | 'expr/undefined'
  | 'expr/type'
  | 'expr/value'
  | 'expr/fuel'
  | 'expr/unknown-filter'
  | 'expr/unknown-test'
  | 'expr/unsupported'
  | 'expr/host';

/** A position in a template's source: `source.slice(start, end)` is the expression as written. */
export interface Span {
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

/** The expression as written. */
export const written = (at: Span): string => at.source.slice(at.start, at.end).trim();

export class TemplateError extends Error {
  readonly code: string;
  readonly expression: string;
  readonly line: number;
  readonly column: number;
  readonly hint?: string;

  /** `cause`: the error that a function of the host threw. */
  constructor(code: ErrorCode, message: string, at: Span, hint?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TemplateError';
    this.code = code;
    this.expression = written(at);
    const before = at.source.slice(0, at.start);
    this.line = before.split('\n').length;
    this.column = at.start - before.lastIndexOf('\n');
    if (hint !== undefined) this.hint = hint;
  }
}

export class Fault extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly at: Span | undefined;

  constructor(code: ErrorCode, message: string, hint?: string, at?: Span, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
    this.at = at;
  }
}

export const typeFault = (message: string, hint?: string): Fault => new Fault('expr/type', message, hint);
export const valueFault = (message: string, hint?: string): Fault => new Fault('expr/value', message, hint);
export const fuelFault = (message: string): Fault =>
  new Fault('expr/fuel', message, 'simplify the template, or move the work into code');
