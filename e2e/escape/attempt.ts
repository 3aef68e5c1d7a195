/**
 * One attempt to get out of a cell: code, what it is allowed to begin with, and how the world shows that it worked.
 *
 * The code finds `W` (what this world has, see `world.ts`) and `won()`, for what leaves no trace outside. It never holds
 * a secret: whatever shows one has read it.
 */
export type Language = 'python' | 'javascript' | 'bash';
export type Permission = 'fs' | 'net' | 'shell';

export interface Attempt {
  name: string;
  /** Python unless said otherwise. */
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
  /** Bytes that were kept of it. */
  keptBytes: number;
  /** What the host believes of it; bare, a host that believes whatever it reads. */
  believed: 'succeeded' | 'failed';
  /** Cells that the kept outputs speak of. */
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
