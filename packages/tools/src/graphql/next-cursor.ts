/**
 * The next page of a list, by the convention of cursor connections: `pageInfo {hasNextPage endCursor}`.
 *
 * Items of a connection may have their own connections, so this uses the outermost one, or the one that a path names.
 * If two are at the same level, it does not guess: a note lists them.
 */
import { isObject, type Json, type JsonObject } from '@woof/net';

/** Nobody pages deeper than this, and a reply may be hostile. */
const DEEPEST = 16;

interface Found {
  path: string;
  pageInfo: JsonObject;
}

export function nextCursor(data: Json, path?: string): { cursor?: string; note?: string } {
  const level = path === undefined ? outermost(data) : named(data, path);
  const [first, ...others] = level.filter(({ pageInfo }) => pageInfo.hasNextPage === true);
  if (first === undefined) return {};
  if (others.length > 0) {
    const paths = [first, ...others].map((each) => each.path).join(' and ');
    return { note: `${paths} both have a next page; name one with "page_path"` };
  }
  const { endCursor } = first.pageInfo;
  if (typeof endCursor === 'string') return { cursor: endCursor };
  return {
    note: `${first.path} has a next page but no "endCursor"; query pageInfo { hasNextPage endCursor }`,
  };
}

function named(data: Json, path: string): Found[] {
  let value: Json | undefined = data;
  for (const key of path.split('.'))
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isConnection(value) ? [{ path, pageInfo: value.pageInfo as JsonObject }] : [];
}

/** Searches only maps: anything inside a list belongs to an item. */
function outermost(data: Json): Found[] {
  let level: [path: string, value: Json][] = [['', data]];
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const found = level.filter(([, value]) => isConnection(value));
    if (found.length > 0)
      return found.map(([path, value]) => ({ path, pageInfo: (value as JsonObject).pageInfo as JsonObject }));
    level = level.flatMap(([path, value]) =>
      isObject(value)
        ? Object.entries(value).map(([key, inner]): [string, Json] => [path ? `${path}.${key}` : key, inner])
        : [],
    );
  }
  return [];
}

function isConnection(value: Json | undefined): value is JsonObject {
  return isObject(value) && isObject(value.pageInfo);
}
