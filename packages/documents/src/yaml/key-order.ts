/**
 * The canonical order of keys at each level of a document: one table per kind, walked in parallel with the document.
 */

/** How the keys of one map are ordered and the shapes of its values. Other keys keep their order in between. */
export interface MapShape {
  first: readonly string[];
  last?: readonly string[];
  /** The shape of the value under a key; a list's shape is that of its items. */
  inside?: Readonly<Record<string, () => Shape>>;
  /** The shape of values under every other key. */
  others?: () => Shape;
}

/** Chosen by the keys of the map, for places that accept several forms. */
export type Shape = MapShape | ((keys: readonly string[]) => MapShape);

export const plain: MapShape = { first: [] };

export function resolve(shape: Shape, keys: readonly string[]): MapShape {
  return typeof shape === 'function' ? shape(keys) : shape;
}

export function shapeUnder(shape: MapShape, key: string): Shape {
  const inside = shape.inside && Object.hasOwn(shape.inside, key) ? shape.inside[key] : shape.others;
  return inside ? inside() : plain;
}

/** The rank of a key among its siblings: first the named ones, then the others as written, then those named last. */
export function rank(shape: MapShape, key: string): number {
  const first = shape.first.indexOf(key);
  if (first !== -1) return first;
  const last = shape.last?.indexOf(key) ?? -1;
  return last === -1 ? shape.first.length : shape.first.length + 1 + last;
}
