/** The result stores, one row per kind. The code of a kind is loaded with its first store. */
import { type JsonObject, RESULT_STORES, type ResultStoreKind } from '@woof/net';
import { FieldFault } from '../fields.ts';
import type { FarStore } from './far-store.ts';

type Open = (definition: JsonObject, workdir: string) => Promise<FarStore>;

const KINDS: Record<ResultStoreKind, Open> = {
  file: async ({ path }, workdir) =>
    new (await import('./file-far-store.ts')).FileFarStore(workdir, String(path)),
  postgres: async (definition) => new (await import('./postgres-far-store.ts')).PostgresFarStore(definition),
  nats_object: async (definition) => new (await import('./nats-far-store.ts')).NatsFarStore(definition),
  s3: async (definition) => new (await import('./s3-far-store.ts')).S3FarStore(definition),
};

/** `workdir`: the document's folder. Throws a `FieldFault` if a field is invalid. */
export async function openFarStore(definition: JsonObject, workdir: string): Promise<FarStore> {
  const kind = String(definition.kind);
  if (Object.hasOwn(KINDS, kind)) return KINDS[kind as ResultStoreKind](definition, workdir);
  const kinds = Object.keys(RESULT_STORES).join(', ');
  throw new FieldFault(`"spec.result.store.kind" must be one of ${kinds}, got ${kind}`);
}
