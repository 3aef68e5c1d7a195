/**
 * Where large results go according to `spec.result.store`: the kinds, and the fields of each.
 *
 * A reference names its store by kind and place, never by a credential: `s3:host/bucket/prefix`. A store without a
 * colon is the one of the data directory or the server.
 */
import { encodeJson, isObject, type Json, type JsonObject } from './json.ts';
import type { Plan } from './plan.ts';
import { isReference, type Reference } from './reference.ts';

const LIMIT = 'The largest result in bytes. The default is 1 GiB.';

interface ResultStoreSchema {
  summary: string;
  /** In addition to `kind`. */
  fields: Record<string, string>;
  /** The directory below the document's folder that holds the store; absent: the data directory or the server. */
  folder?: string;
}

const ROWS = {
  file: {
    summary:
      'Files in a directory under the document’s folder. Without `path`: the data directory or the server.',
    fields: { path: 'The directory. Needs `io_policy.allow_files`.', max_bytes: LIMIT },
    folder: 'path',
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
  },
} satisfies Record<string, ResultStoreSchema>;

export type ResultStoreKind = keyof typeof ROWS;

export const RESULT_STORES: Record<ResultStoreKind, ResultStoreSchema> = ROWS;

/** As written in `spec.result.store`; undefined if results go to the data directory or the server. */
export function storeDefinition(spec: JsonObject): JsonObject | undefined {
  const store = isObject(spec.result) ? spec.result.store : undefined;
  const definition: Json | undefined = typeof store === 'string' ? { kind: store } : store;
  if (!isObject(definition)) return undefined;
  const folder = folderField(definition);
  return folder !== undefined && definition[folder] === undefined ? undefined : definition;
}

/** Whether results go to a directory below the document's folder. */
export function isInFolder(definition: JsonObject): boolean {
  return folderField(definition) !== undefined;
}

function folderField({ kind }: JsonObject): string | undefined {
  const name = String(kind);
  return Object.hasOwn(RESULT_STORES, name) ? RESULT_STORES[name as ResultStoreKind].folder : undefined;
}

/** Whether the value is in a store that a document named. */
export function isElsewhere(value: unknown): value is Reference {
  return isReference(value) && value.store.includes(':');
}

const named = new WeakMap<Plan, JsonObject[]>();

/** All store definitions that a plan names. */
export function definitionsOf(plan: Plan): JsonObject[] {
  let definitions = named.get(plan);
  if (definitions === undefined) {
    definitions = findDefinitions(plan);
    named.set(plan, definitions);
  }
  return definitions;
}

function findDefinitions({ steps, blocks }: Plan): JsonObject[] {
  const known = new Map<string, JsonObject>();
  for (const { spec } of [...steps.flatMap((step) => step.tasks), ...Object.values(blocks)]) {
    const definition = storeDefinition(spec);
    if (definition) known.set(encodeJson(definition), definition);
  }
  return [...known.values()];
}
