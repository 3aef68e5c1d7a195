/**
 * Maps of the host that stand for something else: the fields of a secret.
 *
 * Owns: what such a map is at the end of a path, where no field of it is named, and why it has no text. Templates reach its
 * fields as those of any map.
 */
export interface StandIn {
  /** What the map itself is, at the end of a path. */
  value?: string;
  /** Why it has no text, and what to write instead. */
  noText?: { why: string; hint: string };
}

const known = new WeakMap<object, StandIn>();

export function standsFor<T extends object>(map: T, meaning: StandIn): T {
  known.set(map, meaning);
  return map;
}

export function standInOf(value: unknown): StandIn | undefined {
  return typeof value === 'object' && value !== null ? known.get(value) : undefined;
}
