/** What the person at the terminal must know: what is wrong, and how to fix it. Never a stack trace. */
export class UserError extends Error {
  constructor(
    message: string,
    readonly fix?: string,
    /** 1 the thing failed, 2 it was asked for wrongly. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
  }
}

/** Another process writes to the data directory. */
export class BusyError extends UserError {}

/** No run is meant by the word that was given. */
export class NoSuchRun extends UserError {}
