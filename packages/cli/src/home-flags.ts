/** Which server or directory a verb is about. */
import { DATA } from './verb.ts';

/** The options of every verb that reads or commands runs. */
export const HOME_OPTIONS = {
  server: { doc: 'server to use (default: WOOF_SERVER)', value: 'URL' },
  token: { doc: 'token for the server (default: WOOF_TOKEN)', value: 'TOKEN' },
  data: DATA,
} as const;

export interface HomeFlags {
  server?: string;
  token?: string;
  data?: string;
}

/** The server that is meant, if any: one that is named wins over a directory, a directory over the environment. */
export function serverOf({ server, data }: HomeFlags): string | undefined {
  return server ?? (data === undefined ? process.env.WOOF_SERVER || undefined : undefined);
}
