/** Compares two texts line by line: common, removed and added lines. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** The maximum number of cells in the table of a comparison: 4 MB and about 20 ms. */
const MOST_CELLS = 1_000_000;

/** As many lines as possible are equal. Undefined if the texts are too long to compare. */
export function lineDiff(before: string, after: string): DiffLine[] | undefined {
  const a = before.split('\n');
  const b = after.split('\n');
  const start = sharedLength(a.length, b.length, (i) => a[i] === b[i]);
  const left = Math.min(a.length, b.length) - start;
  const end = sharedLength(left, left, (i) => a[a.length - 1 - i] === b[b.length - 1 - i]);
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  if (middle === undefined) return undefined;
  const same = (lines: string[]) => lines.map((text): DiffLine => ({ kind: 'same', text }));
  return [...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))];
}

function sharedLength(a: number, b: number, isSame: (i: number) => boolean): number {
  let count = 0;
  while (count < a && count < b && isSame(count)) count++;
  return count;
}

function between(a: readonly string[], b: readonly string[]): DiffLine[] | undefined {
  const width = b.length + 1;
  if ((a.length + 1) * width > MOST_CELLS) return undefined;
  const most = lengths(a, b);
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i]! });
      i++;
      j++;
    } else if (i < a.length && (j === b.length || most[(i + 1) * width + j]! >= most[i * width + j + 1]!)) {
      lines.push({ kind: 'removed', text: a[i++]! });
    } else lines.push({ kind: 'added', text: b[j++]! });
  }
  return lines;
}

/** How many lines `a` from i on and `b` from j on can share. */
function lengths(a: readonly string[], b: readonly string[]): Uint32Array {
  const width = b.length + 1;
  const most = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      most[at] = a[i] === b[j] ? most[at + width + 1]! + 1 : Math.max(most[at + width]!, most[at + 1]!);
    }
  return most;
}

const AROUND = 3;

/** Replaces long stretches without a difference by a number of lines. */
export function folded(lines: readonly DiffLine[]): (DiffLine | { kind: 'left out'; count: number })[] {
  const isNear = lines.map(() => false);
  lines.forEach(({ kind }, at) => {
    if (kind === 'same') return;
    isNear.fill(true, Math.max(0, at - AROUND), at + AROUND + 1);
  });
  const shown: ReturnType<typeof folded> = [];
  lines.forEach((line, at) => {
    const last = shown.at(-1);
    if (isNear[at]) shown.push(line);
    else if (last?.kind === 'left out') last.count += 1;
    else shown.push({ kind: 'left out', count: 1 });
  });
  return shown;
}
