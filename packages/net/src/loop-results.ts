/**
 * The results of a loop, kept so that a long loop takes no memory: once there are enough, the oldest move to the blob
 * store as a page. When all results are in pages, the engine makes one value of them and reports it with EndLoop.
 */
import type { LoopState } from './state.ts';

export interface PageSize {
  results: number;
  bytes: number;
}

/**
 * This many results exceed the limit of inline values, whatever they are: results in pages are never small as a whole.
 */
const PAGE_SIZE: PageSize = { results: 32 * 1024, bytes: 1024 * 1024 };

/** How many of the results in memory form a page now; 0: none. */
export function pageDue(loop: LoopState, page = PAGE_SIZE): number {
  const settled = loop.oldest - loop.stored.count;
  if (settled < page.results && loop.bytes < page.bytes) return 0;
  // Otherwise, while an old iteration is still running, pages of only a few results each would be written.
  return settled * 2 >= loop.results.length ? settled : 0;
}

/** All iterations have ended, and their results are in pages. */
export function isCollected(loop: LoopState): boolean {
  return loop.stored.count > 0 && loop.stored.count === loop.total;
}
