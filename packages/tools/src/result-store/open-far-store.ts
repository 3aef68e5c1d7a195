/** The stores that lie beyond this machine, by kind. What a kind needs is loaded with its first store. */
import type { JsonObject } from '@woof/net';
import type { FarStore } from './far-store.ts';

type FarKind = 'postgres' | 'nats_object' | 's3';

const KINDS: Record<FarKind, (definition: JsonObject) => Promise<FarStore>> = {
  postgres: async (definition) => new (await import('./postgres-far-store.ts')).PostgresFarStore(definition),
  s3: async (definition) => new (await import('./s3-far-store.ts')).S3FarStore(definition),
  nats_object: async (definition) => new (await import('./nats-far-store.ts')).NatsFarStore(definition),
};

/** Throws a `FieldFault` where a field is wrong. Undefined: it is none of these kinds. */
export async function openFarStore(definition: JsonObject): Promise<FarStore | undefined> {
  const kind = String(definition.kind);
  return Object.hasOwn(KINDS, kind) ? KINDS[kind as FarKind](definition) : undefined;
}
