/** One program that a command line runs. */
export interface Invocation {
  /** Without directory and `.exe`, in lower case. */
  program: string;
  args: readonly string[];
  /** The programs around it, outermost first. */
  via: readonly string[];
  /** It may in fact be an argument. */
  guess: boolean;
  /** It comes from a shell text, so the shell expands `$` in its words. */
  inShell: boolean;
  /** A description of its directory, if that may be outside the working directory. */
  elsewhere?: string;
}

/** Stands for arguments that are unknown until the command runs. */
export const UNKNOWN = '\0unknown';
