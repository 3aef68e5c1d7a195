/**
 * The result stores, one row per kind: its fields, and its client, which is loaded with the first store of the kind.
 *
 * A reference names its store by kind and place, never by a credential: `s3:host/bucket/prefix`. A store without a
 * colon is the one of the data directory or the server.
 */
import type { JsonObject, ResultStoreSchema } from '@woof/net';
import { FieldFault } from '../fields.ts';
import type { FarStore } from './far-store.ts';

interface ResultStoreKind extends ResultStoreSchema {
  /** The directory below the document's folder that holds the store; absent: the data directory or the server. */
  folder?: string;
  /** `workdir`: the document's folder. Throws a `FieldFault` if a field is invalid. */
  open(definition: JsonObject, workdir: string): Promise<FarStore>;
}

const LIMIT = 'The largest result in bytes. The default is 1 GiB.';

const KINDS: Readonly<Record<string, ResultStoreKind>> = {
  file: {
    summary:
      'Files in a directory under the document’s folder. Without `path`: the data directory or the server.',
    fields: { path: 'The directory. Needs `io_policy.allow_files`.', max_bytes: LIMIT },
    folder: 'path',
    open: async ({ path }, workdir) =>
      new (await import('./file-far-store.ts')).FileFarStore(workdir, String(path)),
  },
  postgres: {
    summary: 'Rows of a table. Woof creates the table if it does not exist.',
    fields: {
      auth: 'As for the kind `postgres`.',
      credential: 'The same as auth.',
      url: 'postgres://user:password@host:port/database.',
      host: 'The server, unless auth sets it, with `port`, `user`, `password`, `database`, `sslmode`, `sslrootcert`.',
      port: 'See host.',
      user: 'See host.',
      password: 'See host.',
      database: 'See host.',
      sslmode: 'See host.',
      sslrootcert: 'See host.',
      table: 'The table. The default is `woof_results`.',
      max_bytes: LIMIT,
    },
    open: async (definition) => new (await import('./postgres-far-store.ts')).PostgresFarStore(definition),
  },
  nats_object: {
    summary: 'Objects in a bucket of the NATS object store. Woof creates the bucket if it does not exist.',
    fields: {
      servers: 'The addresses. The default is `nats://127.0.0.1:4222`.',
      url: 'The same as servers.',
      auth: 'As for the kind `nats`.',
      credential: 'The same as auth.',
      bucket: 'The bucket.',
      max_bytes: LIMIT,
    },
    open: async (definition) => new (await import('./nats-far-store.ts')).NatsFarStore(definition),
  },
  s3: {
    summary: 'Objects in a bucket of an S3-compatible store.',
    fields: {
      bucket: 'The bucket.',
      prefix: 'The prefix of the keys.',
      endpoint: 'The address of the store. The default is the AWS endpoint of the region.',
      region: 'The region. The default is us-east-1.',
      auth: '{access_key_id, secret_access_key, session_token}.',
      credential: 'The same as auth.',
      verify_ssl: 'If false, Woof accepts any certificate. The default is true.',
      max_bytes: LIMIT,
    },
    open: async (definition) => new (await import('./s3-far-store.ts')).S3FarStore(definition),
  },
};

/** What linters must know about each kind. */
export const resultStores: Readonly<Record<string, ResultStoreSchema>> = KINDS;

/** `workdir`: the document's folder. Throws a `FieldFault` if a field is invalid. */
export async function openFarStore(definition: JsonObject, workdir: string): Promise<FarStore> {
  const store = kindOf(definition);
  if (store) return store.open(definition, workdir);
  const kinds = Object.keys(KINDS).join(', ');
  throw new FieldFault(`"spec.result.store.kind" must be one of ${kinds}, got ${String(definition.kind)}`);
}

/** Whether results go to a directory below the document's folder. */
export function isInFolder(definition: JsonObject): boolean {
  return kindOf(definition)?.folder !== undefined;
}

/** Whether results go to the data directory or the server after all, because no directory is named. */
export function isHome(definition: JsonObject): boolean {
  const folder = kindOf(definition)?.folder;
  return folder !== undefined && definition[folder] === undefined;
}

function kindOf({ kind }: JsonObject): ResultStoreKind | undefined {
  const name = String(kind);
  return Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
}
