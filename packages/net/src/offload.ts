/** Values that one event holds together. */
import type { Json, JsonObject } from './json.ts';

export interface OffloadAll {
  /** Moves large values to the blob store, and as many others, largest first, as the event has no room for. */
  offloadAll(values: readonly Json[]): Json[];
}

export const offloadEach = (values: JsonObject, env: OffloadAll): JsonObject =>
  offloadMaps([values], env)[0]!;

/** The maps of one event share its room. */
export function offloadMaps(maps: readonly JsonObject[], env: OffloadAll): JsonObject[] {
  const stored = env.offloadAll(maps.flatMap((map) => Object.values(map)));
  let next = 0;
  return maps.map((map) => Object.fromEntries(Object.keys(map).map((key) => [key, stored[next++]!])));
}
