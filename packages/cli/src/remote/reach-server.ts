/** What a person who waits for a server is told while it does not answer. */
import { type Client, Reach } from '@woof/client';

/** Long enough for a restart, short enough for a script. */
export const GIVE_UP_MS = 60_000;

export interface Patience {
  giveUpMs?: number;
  silentMs?: number;
  signal?: AbortSignal;
  /** Where the messages go; default: stderr. */
  say?: (line: string) => void;
}

export function reachServer(client: Client, patience: Patience = {}): Reach {
  const { giveUpMs = GIVE_UP_MS, say = (line) => process.stderr.write(`${line}\n`), ...rest } = patience;
  return new Reach(client.url, {
    ...rest,
    giveUpMs,
    onAway: (why) => say(`${why}; retrying for up to ${giveUpMs / 1000} s`),
    onBack: () => say(`the server at ${client.url} is back`),
  });
}
