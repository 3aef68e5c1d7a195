/**
 * The items of a loop, stored so that a long list takes no memory: a range as its two numbers, a stored list as its
 * reference, any other long list as pages in the blob store, and a short list as it is.
 */
import { Range } from '@woof/expr';
import type { Env } from './command.ts';
import type { Json, JsonObject } from './json.ts';
import { isReference, type Reference } from './reference.ts';
import { roughSize } from './rough-size.ts';

export type LoopItems = Json[] | Reference | ItemPages | ItemRange;

/** Lists of `each` items, the last one shorter. */
interface ItemPages extends JsonObject {
  pages: Json[];
  each: number;
}

/** `from`, `from + step`, and so on. */
interface ItemRange extends JsonObject {
  from: number;
  step: number;
}

const PAGE_BYTES = 1024 * 1024;
/** One event contains the references of all pages. */
const MOST_PAGES = 200;

/** The value of `loop.in`, as the log keeps it. */
export function storedItems(
  items: Json[] | Range | Reference,
  env: Pick<Env, 'offload' | 'putAway'>,
): LoopItems {
  if (items instanceof Range) return { from: items.start, step: items.step };
  if (isReference(items)) return items;
  const size = roughSize(items);
  if (size <= PAGE_BYTES) return env.offload(items) as LoopItems;
  const count = Math.min(MOST_PAGES, Math.ceil(size / PAGE_BYTES));
  const each = Math.ceil(items.length / count);
  const pages: Json[] = [];
  for (let from = 0; from < items.length; from += each)
    pages.push(env.putAway(items.slice(from, from + each)));
  return { pages, each };
}

export function itemAt(items: LoopItems, index: number, env: Pick<Env, 'itemOf'>): Json {
  if (isReference(items) || Array.isArray(items)) return itemIn(items, index, env);
  if (isRange(items)) return items.from + index * items.step;
  const page = items.pages[Math.floor(index / items.each)] ?? [];
  return itemIn(page, index % items.each, env);
}

const isRange = (items: ItemPages | ItemRange): items is ItemRange => typeof items.from === 'number';

function itemIn(list: Json, index: number, env: Pick<Env, 'itemOf'>): Json {
  return (isReference(list) ? env.itemOf(list, index) : (list as Json[])[index]) ?? null;
}
