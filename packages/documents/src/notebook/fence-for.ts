/** Which fence a body needs. */
import { findOpener, longestBareFence, SHORTEST_FENCE } from './fence.ts';

/**
 * Longer than any bare fence in the body, and than any line in it that would open a cell, as far as the fence it has
 * now already is: an opener of the same length may be a cell whose predecessor nobody closed, which must stay visible.
 */
export function fenceFor(body: string, currentLength: number): string {
  const longest = Math.max(longestBareFence(body), longestOpener(body, currentLength));
  return '`'.repeat(Math.max(SHORTEST_FENCE, longest + 1));
}

function longestOpener(body: string, below: number): number {
  let longest = 0;
  for (let line = findOpener(body, 0); line; line = findOpener(body, line.end)) {
    const length = line.fenceEnd - line.fenceStart;
    if (length < below) longest = Math.max(longest, length);
  }
  return longest;
}
