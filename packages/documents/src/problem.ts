/** The two ways to report a problem at a place, and the wording that they share. */
import type { Diagnostic } from '@woof/net';
import type { Span } from './yaml/source.ts';

export function error(code: string, at: Span, message: string, hint?: string): Diagnostic {
  const { line, column, endColumn } = at;
  return {
    code,
    severity: 'error',
    message,
    line,
    column,
    endColumn,
    ...(hint === undefined ? {} : { hint }),
  };
}

export function warning(code: string, at: Span, message: string, hint?: string): Diagnostic {
  return { ...error(code, at, message, hint), severity: 'warning' };
}

const MAX_LISTED = 20;

/** Quoted words; of many, only the first. */
export function list(words: Iterable<string>): string {
  const all = [...words];
  const named = all.slice(0, MAX_LISTED).map((word) => `"${word}"`);
  return [...named, ...(all.length > MAX_LISTED ? ['…'] : [])].join(', ') || 'none';
}

export const oneOf = (words: readonly string[]): string => `use one of ${list(words)}`;

/** For a key that is not one of these, and no misspelling of one. */
export const oneOfFields = (known: readonly string[]): string =>
  `${oneOf(known)}, or begin a key of your own with \`x-\``;

/** The path around a cycle; of a long one, its beginning and its end. */
export function arrows(path: readonly string[]): string {
  return (path.length > MAX_LISTED ? [...path.slice(0, MAX_LISTED), '…', path.at(-1)] : path).join(' → ');
}

/** A field by its path is shown as code; any other subject is words. */
export const subject = (what: string): string => (/^[A-Za-z_][^\s`]*$/.test(what) ? `\`${what}\`` : what);

export const mustBe = (what: string, expected: string, got: string): string =>
  `${subject(what)} must be ${expected}, got ${got}`;

export const shouldBe = (what: string, expected: string, got: string): string =>
  `${subject(what)} should be ${expected}, got ${got}`;

export const cannotBe = (what: string, got: string): string => `${subject(what)} cannot be "${got}"`;

/** Says that a field is missing. */
export const hasNo = (what: string, field: string): string => `${subject(what)} has no \`${field}\``;

/** Says that a field is present where it does not belong. */
export const cannotHave = (what: string, field: string): string =>
  `${subject(what)} cannot have \`${field}\``;
