/** The two ways to say that something is wrong at a place. */
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
