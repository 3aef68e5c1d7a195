/**
 * Stored lists that become longer. A list is not written again for each item: its reference keeps what follows as pages,
 * each of them stored, and as a few items.
 *
 * Owns: when items become a page, when pages become one, and which new values of a map only make a stored list longer.
 * Does not own: reducers (ctx.ts), which values are stored at all (offload.ts).
 * Invariant: for this alone nothing is loaded, so no decision is void because of it.
 */
import type { Env } from './command.ts';
import type { Json, JsonObject } from './json.ts';
import { isReference, isStoredList, listParts, oversize, type Reference } from './reference.ts';
import { roughSize } from './rough-size.ts';

/** Approximate limit for the items that follow a stored list, if each event contains only what is new. */
export const TAIL_BYTES = 64 * 1024;
/** The same if each event contains all of them. */
const REPEATED_TAIL_BYTES = 8 * 1024;
/** So many pages of about the same size become one. */
const JOINED_PAGES = 8;
/** No longer page is made, unless the list would then have too many pages. */
const LONGEST_PAGE = 8 * 1024 * 1024;
const MOST_LONG_PAGES = 32;

export type GrownList = Reference & { more: { pages: Json[]; items: Json[]; bytes: number } };

export function appended({ more, ...list }: Reference, values: readonly Json[]): GrownList {
  const { pages, items, bytes } = (more ?? NO_MORE) as GrownList['more'];
  const size = values.reduce((sum: number, value) => sum + roughSize(value), bytes);
  return { ...list, more: { pages, items: [...items, ...values], bytes: size } };
}

const NO_MORE: GrownList['more'] = { pages: [], items: [], bytes: 0 };

export interface PageAccess {
  resolve(page: Reference): Json;
  /** Stores a page, if it is worth it. */
  offload(page: Json): Json;
}

/** The same list with its last items in a page. */
export function paged({ more, ...list }: GrownList, access: PageAccess): GrownList {
  return { ...list, more: { ...NO_MORE, pages: withPage(more.pages, more.items, list.size, access) } };
}

function withPage(before: Json[], items: Json[], first: number, { resolve, offload }: PageAccess): Json[] {
  const made = new Map<Json, Json[]>();
  const page = (list: Json[]): Json => {
    const kept = offload(list);
    made.set(kept, list);
    return kept;
  };
  const itemsOf = (each: Json) => made.get(each) ?? (isReference(each) ? resolve(each) : each);
  const pages = [...before, page(items)];
  const sizes = pages.map(pageBytes);
  const longest = Math.max(LONGEST_PAGE, (first + total(sizes)) / MOST_LONG_PAGES);
  for (;;) {
    const last = sizes.slice(-JOINED_PAGES);
    const areAlike = last.length === JOINED_PAGES && last.every((size) => level(size) === level(last[0]!));
    if (!areAlike || total(last) > longest) return pages;
    pages.push(page(pages.splice(-JOINED_PAGES).flatMap(itemsOf)));
    sizes.splice(-JOINED_PAGES, JOINED_PAGES, total(last));
  }
}

const pageBytes = (page: Json): number => (isReference(page) ? page.size : roughSize(page));

const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** How often pages were joined into a page of this size. */
const level = (bytes: number): number => Math.floor(Math.log2(bytes / TAIL_BYTES) / Math.log2(JOINED_PAGES));

export interface ListAccess {
  /** A stored value that is in memory. Nothing is loaded for it. */
  atHand(reference: Reference): Json | undefined;
  /**
   * Moves a large value to the blob store and returns its reference; returns a small value unchanged. `longest`: in
   * bytes, of a text that counts as small.
   */
  offload(value: Json, longest?: number): Json;
  readonly host: Pick<Env['host'], 'loadableBytes'>;
}

/** The patch of a map, with each list that only makes the stored list under its key longer as that list with more items. */
export function grownLists(patch: JsonObject, before: JsonObject, access: ListAccess): JsonObject {
  const entries = Object.entries(patch).map(([key, value]) => {
    const list = Object.hasOwn(before, key) ? before[key] : undefined;
    return [key, grownList(list, value, access)] as const;
  });
  return Object.fromEntries(entries);
}

function grownList(list: Json | undefined, value: Json, access: ListAccess): Json {
  if (!Array.isArray(value) || !isReference(list) || !isStoredList(list)) return value;
  const known = beginningOf(value, list, access);
  if (known === undefined) return value;
  const added = value.slice(known.length);
  if (added.length === 0 && list.more === undefined) return list;
  const whole = appended(list, added);
  // A list that can no longer be loaded stays one stored value, which tasks can read as a file.
  if (oversize(whole, access.host.loadableBytes)) return value;
  const longer = withStoredPages(whole, known.pages, access);
  if (longer.more.bytes <= REPEATED_TAIL_BYTES) return longer;
  const resolve = (page: Reference) => known.pages.get(page)!;
  const offload = (page: Json) => access.offload(page, 0);
  return paged(longer, { resolve, offload });
}

/** A job has the pages of its own shared writes in memory, and each event would repeat them. */
function withStoredPages({ more, ...list }: GrownList, known: Pages, access: ListAccess): GrownList {
  const stored = (page: Json) => {
    const kept = access.offload(page, 0);
    known.set(kept, page as Json[]);
    return kept;
  };
  return {
    ...list,
    more: { ...more, pages: more.pages.map((page) => (isReference(page) ? page : stored(page))) },
  };
}

/** The items of stored pages. */
type Pages = Map<Json, Json[]>;

interface Beginning {
  length: number;
  pages: Pages;
}

/**
 * The length of the stored list, if the value begins with its very items. A template that passes items on returns the
 * same objects, so nothing has to be compared in depth.
 */
function beginningOf(value: Json[], list: Reference, access: ListAccess): Beginning | undefined {
  const pages: Pages = new Map();
  let length = 0;
  for (const part of listParts(list) ?? [list]) {
    const items = isReference(part) ? access.atHand(part) : part;
    if (!Array.isArray(items) || length + items.length > value.length) return undefined;
    const start = length;
    if (!items.every((item, index) => Object.is(item, value[start + index]))) return undefined;
    if (isReference(part)) pages.set(part, items);
    length += items.length;
  }
  return { length, pages };
}
