/** Which server or directory a verb is about. */
import { holdsLog, locateData } from './data-directory.ts';
import { folderServer } from './remote/folder-server.ts';
import { DATA } from './verb.ts';

/** The options of every verb that reads or commands runs. */
export const HOME_OPTIONS = {
  server: { doc: 'server to use (default: WOOF_SERVER, or the server of this folder)', value: 'URL' },
  token: { doc: 'token for the server (default: WOOF_TOKEN)', value: 'TOKEN' },
  data: DATA,
} as const;

export interface HomeFlags {
  server?: string;
  token?: string;
  data?: string;
}

/**
 * The server that has the runs, if they are not in the directory. A named server wins over a directory, a directory
 * over the environment. Runs of a server on SQLite are in its directory; those of a server on a database are not, so a
 * directory without runs of its own stands for that server.
 */
export function serverOf({ server, data }: HomeFlags): string | undefined {
  const named = server ?? (data === undefined ? process.env.WOOF_SERVER || undefined : undefined);
  if (named !== undefined) return named;
  const folder = locateData(data);
  return holdsLog(folder) ? undefined : folderServer(folder.path)?.url;
}
