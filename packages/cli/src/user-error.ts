/** What the person at the terminal must know: what is wrong, and how to fix it. Never a stack trace. */
export class UserError extends Error {
  constructor(
    message: string,
    readonly fix?: string,
    /** 1: the operation failed; 2: usage error. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
  }
}

/** Another process is writing to the data directory. */
export class BusyError extends UserError {}

/** The given word refers to no run. */
export class NoSuchRun extends UserError {}
