/**
 * The results of a loop, so that a long one takes no memory: once there are enough, the oldest go to the blob store as a
 * page. When all of a loop's results lie in pages, the engine makes one value of them and says so with EndLoop.
 */
import type { LoopState } from './state.ts';

export interface PageSize {
  results: number;
  bytes: number;
}

/** So many results are over the limit of inline values, whatever they are: what lies in pages is never small as a whole. */
const PAGE_SIZE: PageSize = { results: 32 * 1024, bytes: 1024 * 1024 };

/** How many of the results at hand make a page now; 0: none do. */
export function pageDue(loop: LoopState, page = PAGE_SIZE): number {
  const settled = loop.oldest - loop.stored.count;
  if (settled < page.results && loop.bytes < page.bytes) return 0;
  // Where an old iteration still runs, pages of a few results each would be written.
  return settled * 2 >= loop.results.length ? settled : 0;
}

/** All iterations have ended, and their results lie in pages. */
export function isCollected(loop: LoopState): boolean {
  return loop.stored.count > 0 && loop.stored.count === loop.total;
}
