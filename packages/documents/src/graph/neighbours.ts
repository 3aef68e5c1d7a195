/** The items above and below each item, in two flat lists. */
export interface Links {
  from: Int32Array;
  to: Int32Array;
  /** 1: the link does not count. */
  skip?: Uint8Array;
}

export interface Sides {
  up(item: number): Int32Array;
  down(item: number): Int32Array;
}

export function neighboursOf(count: number, { from, to, skip }: Links): Sides {
  return { up: grouped(count, to, from, skip), down: grouped(count, from, to, skip) };
}

function grouped(count: number, by: Int32Array, of: Int32Array, skip?: Uint8Array) {
  const starts = new Int32Array(count + 1);
  for (let i = 0; i < by.length; i++) if (!skip?.[i]) starts[by[i]! + 1]! += 1;
  for (let i = 0; i < count; i++) starts[i + 1]! += starts[i]!;
  const next = starts.slice();
  const all = new Int32Array(starts[count]!);
  for (let i = 0; i < by.length; i++) if (!skip?.[i]) all[next[by[i]!]!++] = of[i]!;
  return (item: number) => all.subarray(starts[item], starts[item + 1]);
}
