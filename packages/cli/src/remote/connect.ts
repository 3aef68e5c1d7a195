/** The server that a verb talks to, and the token for it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@woof/client';
import { locateData } from '../data-directory.ts';
import type { HomeFlags } from '../home-flags.ts';
import { UserError } from '../user-error.ts';

/** What `woof server` leaves in its data directory, readable to its owner alone. */
export const SERVER_FILE = 'server.json';

export interface ServerNote {
  url: string;
  /** Absent where its store had an admin token already. */
  token?: string;
}

export function connect(flags: HomeFlags): Client {
  const url = flags.server ?? (process.env.WOOF_SERVER || undefined);
  if (url === undefined) {
    throw new UserError(
      'no server is named',
      'use --server URL, for example http://127.0.0.1:9663, or set WOOF_SERVER',
      2,
    );
  }
  if (!/^https?:\/\/[^/]/.test(url))
    throw new UserError(`--server ${url}: expected a URL`, 'for example http://127.0.0.1:9663', 2);
  return new Client({ url, token: flags.token ?? (process.env.WOOF_TOKEN || noteFor(url, flags.data)) });
}

/** A server of this data directory needs no token from its owner; another server never sees it. */
function noteFor(url: string, data: string | undefined): string | undefined {
  const note = readNote(locateData(data).path);
  return note?.url === url.replace(/\/+$/, '') ? note.token : undefined;
}

export function readNote(folder: string): ServerNote | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, SERVER_FILE), 'utf8')) as ServerNote;
  } catch {
    return undefined;
  }
}
