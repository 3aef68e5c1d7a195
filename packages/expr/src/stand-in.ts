/**
 * Maps from the host that stand for something else: the fields of a secret.
 *
 * Owns: the value of such a map at the end of a path that names none of its fields, and why it has no text. Templates
 * read its fields like those of any map.
 */
export interface StandIn {
  /** The value of the map itself, at the end of a path. */
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
