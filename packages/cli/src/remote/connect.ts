/** The server that a verb talks to, and the token for it. */
import { Client } from '@woof/client';
import { locateData } from '../data-directory.ts';
import type { HomeFlags } from '../home-flags.ts';
import { UserError } from '../user-error.ts';
import { folderServer, folderServers } from './folder-server.ts';

export function connect(flags: HomeFlags): Client {
  const url = addressFor(flags);
  if (url === undefined) {
    throw new UserError(
      'no server is given, and none runs in this folder',
      'start one with woof up --detach, or use --server URL, for example http://127.0.0.1:9663 (or set WOOF_SERVER)',
      2,
    );
  }
  if (!/^https?:\/\/[^/]/.test(url))
    throw new UserError(`--server ${url}: expected a URL`, 'for example http://127.0.0.1:9663', 2);
  return new Client({ url, token: flags.token ?? (process.env.WOOF_TOKEN || noteFor(url, flags.data)) });
}

/** A named server, else the one of a named directory, else the one in the environment, else the one of this folder. */
function addressFor({ server, data }: HomeFlags): string | undefined {
  if (server !== undefined) return server;
  const ofFolder = () => folderServer(locateData(data).path)?.url;
  const named = process.env.WOOF_SERVER || undefined;
  return data === undefined ? (named ?? ofFolder()) : (ofFolder() ?? named);
}

/**
 * A server that runs in this data directory needs no token from its owner; no other program that listens ever sees it.
 */
function noteFor(url: string, data: string | undefined): string | undefined {
  const address = url.replace(/\/+$/, '');
  return folderServers(locateData(data).path).find((each) => each.url === address)?.token;
}
