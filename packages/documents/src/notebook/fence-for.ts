/** Which fence a body needs. */
import { findOpener, longestBareFence, SHORTEST_FENCE } from './fence.ts';

/**
 * Longer than any bare fence in the body, and than any line that would open a cell, if that line's fence is shorter
 * than the current one. A longer opener may be a cell whose predecessor was never closed, which must stay visible.
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
