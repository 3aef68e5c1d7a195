/** Where secrets are kept: the data directory here, or a server. */
import { Secrets } from '@woof/engine';
import { locateData, openForWriting } from '../data-directory.ts';
import { type HomeFlags, serverOf } from '../home-flags.ts';
import { folderServer } from '../remote/folder-server.ts';
import { UserError } from '../user-error.ts';
import { addKey, keepFirstKey, secretKeys } from './secret-keys.ts';

export interface SecretHome {
  put(name: string, fields: Record<string, string>): Promise<void>;
  list(): Promise<{ name: string; fields: string[]; updated_at: number }[]>;
  remove(name: string): Promise<void>;
  /** Seals everything with a new key; returns the number of secrets. */
  rotate(): Promise<number>;
}

/** `open`: a new key requires exclusive use of the directory, because another process may seal with the old one. */
export async function withSecrets<T>(
  flags: HomeFlags,
  use: (home: SecretHome) => Promise<T>,
  open = openForWriting,
): Promise<T> {
  if (isAtServer(flags, open)) return use(await remote(flags));
  const data = open(flags.data);
  try {
    const { records } = data.store;
    const secrets = () => new Secrets(records, secretKeys(data.path), Date.now);
    return await use({
      put: (name, fields) => secrets().put(name, fields),
      list: () => secrets().list(),
      remove: (name) => secrets().remove(name),
      rotate: async () => {
        // The old key is removed once nothing is sealed with it: whenever this is interrupted, everything can still be
        // opened.
        const isOurs = !process.env.WOOF_SECRET_KEY;
        const count = await new Secrets(
          records,
          isOurs ? addKey(data.path) : secretKeys(data.path),
          Date.now,
        ).reseal();
        if (isOurs) keepFirstKey(data.path);
        return count;
      },
    });
  } finally {
    await data.close();
  }
}

/** The server of the folder seals with its own key. Only a directory without a server gets a new key. */
function isAtServer(flags: HomeFlags, open: typeof openForWriting): boolean {
  if (serverOf(flags) !== undefined) return true;
  return open === openForWriting && folderServer(locateData(flags.data).path) !== undefined;
}

async function remote(flags: HomeFlags): Promise<SecretHome> {
  const { connect } = await import('../remote/connect.ts');
  const client = connect(flags);
  return {
    put: async (name, fields) => {
      await client.call('secrets.put', { params: { name }, body: { fields } });
    },
    list: async () => (await client.call('secrets.list')).secrets,
    remove: async (name) => {
      await client.call('secrets.remove', { params: { name } });
    },
    rotate: async () => {
      throw new UserError(
        'woof secret rotate does not work over --server: a server encrypts with its own key',
        'stop the server, then run the command without --server in its data directory',
        2,
      );
    },
  };
}
