/** One program that a command line runs. */
export interface Invocation {
  /** Without folder and `.exe`, in lower case. */
  program: string;
  args: readonly string[];
  /** The programs around it, outermost first. */
  via: readonly string[];
  /** It may be an argument. */
  guess: boolean;
  /** It stands in a shell's text, so `$` in its words means something. */
  inShell: boolean;
  /** The folder it runs in, in words, where that may not be inside the working directory. */
  elsewhere?: string;
}

/** Stands for arguments that nobody knows before it runs. */
export const UNKNOWN = '\0unknown';
