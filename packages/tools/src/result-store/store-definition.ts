/** Where a document wants its large results, as written in `spec.result.store`. */
import { encodeJson, isObject, type Json, type JsonObject, type Plan } from '@woof/net';
import { isHome } from './far-stores.ts';

/** Undefined if results go to the data directory or the server. */
export function storeDefinition(spec: JsonObject): JsonObject | undefined {
  const store = isObject(spec.result) ? spec.result.store : undefined;
  const definition: Json | undefined = typeof store === 'string' ? { kind: store } : store;
  return isObject(definition) && !isHome(definition) ? definition : undefined;
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
