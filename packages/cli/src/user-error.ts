import type { Diagnostic } from '@woof/net';

/** What the person at the terminal must know: what is wrong, and how to fix it. Never a stack trace. */
export class UserError extends Error {
  constructor(
    message: string,
    readonly fix?: string,
    /** 1: the operation failed; 2: usage error. */
    readonly exitCode: 1 | 2 = 1,
    /** What is wrong with a document, for programs: people have read it on stderr. */
    readonly diagnostics?: readonly FileDiagnostic[],
  ) {
    super(message);
  }
}

/** Another process is writing to the data directory. */
export class BusyError extends UserError {}

/** The given word refers to no run. */
export class NoSuchRun extends UserError {}

/** A diagnostic as programs read it. */
export type FileDiagnostic = Pick<
  Diagnostic,
  'code' | 'severity' | 'message' | 'line' | 'column' | 'hint'
> & {
  file: string;
};

export function inFile(file: string, diagnostics: readonly Diagnostic[]): FileDiagnostic[] {
  return diagnostics.map(({ code, severity, message, line, column, hint }) => {
    return { code, severity, message, line, column, file, ...(hint === undefined ? {} : { hint }) };
  });
}
