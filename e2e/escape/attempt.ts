/**
 * One attempt to escape from a cell: its code, its permissions, and how the world shows that it worked.
 *
 * The code has `W` (facts about this world, see `world.ts`) and `won()`, for attempts that leave no trace outside. It
 * never contains a secret, so any output that shows one must have read it.
 */
export type Language = 'python' | 'javascript' | 'bash';
export type Permission = 'fs' | 'net' | 'shell';

export interface Attempt {
  name: string;
  /** Default: Python. */
  language?: Language;
  /** What the cell declares and the header allows; nothing unless said otherwise. Bash always has shell. */
  allowed?: Permission[];
  code: string;
  /** Further tokens of the cell: `timeout=1`. */
  tokens?: string;
  /** Its control needs the rights of root, which it gets in namespaces of its own. */
  privileged?: true;
  /** It does not end by itself: it says so, and its control is asked politely to stop. */
  endless?: true;
  escaped(seen: Seen): boolean;
}

/** What is known after an attempt, with a sandbox or without. */
export interface Seen {
  token: string;
  secret: string;
  /** Everything that the cell, or the bare program, printed or said as its error. */
  output: string;
  /** How many bytes of it were kept. */
  keptBytes: number;
  /** The status that the host records. Without a sandbox: that of a host that believes every line it reads. */
  believed: 'succeeded' | 'failed';
  /** The cells that the kept outputs name. */
  cells: string[];
  /** What listeners received. */
  received: string;
  /** The folder of the notebook, and the one beside it. */
  work: string;
  outside: string;
  /** A file beside the notebook's folder, made for this attempt. */
  file: string;
  /** A named pipe in the notebook's folder, made for this attempt. */
  fifo: string;
}

export const showsSecret = ({ output, secret }: Seen): boolean => output.includes(secret);
export const saysSo = ({ output, token }: Seen): boolean => output.includes(`ESCAPED ${token}`);
export const arrives = ({ received, token }: Seen): boolean => received.includes(token);
