/** Owns: wordwrap: greedy lines of at most `width`, with each line of the text separate, as in Python's textwrap. */
import { optionalString } from '../coerce.ts';
import { truthy } from '../compare.ts';
import { hasPairs, textLength } from '../iterate.ts';
import { toIndex } from '../numbers.ts';
import { splitLines } from '../python-text.ts';
import type { Runtime } from '../runtime.ts';
import { valueFault } from '../template-error.ts';
import { toText } from '../text.ts';

/** White space; a dash of two or more characters between words; a word, whole or up to a hyphen between letters. */
const chunkPattern = (): RegExp =>
  /\s+|(?<=[\p{L}\p{N}_!"'&.,?])-{2,}(?=[\p{L}\p{N}_])|\S+?(?:-(?:(?<=[\p{L}_]{2}-)|(?<=[\p{L}_]-[\p{L}_]-))(?=[\p{L}_]-?[\p{L}_])|(?=\s|$)|(?<=[\p{L}\p{N}_!"'&.,?])(?=-{2,}[\p{L}\p{N}_]))/gu;

export function wrapText(
  rt: Runtime,
  value: unknown,
  width: unknown = 79,
  long: unknown = true,
  joiner?: unknown,
  hyphens: unknown = true,
): string {
  const text = toText(rt, value);
  const limit = toIndex(width, 'the width');
  if (limit <= 0) throw valueFault(`the width must be at least 1, got ${limit}`);
  const between = optionalString(joiner, 'the wrapstring') ?? '\n';
  rt.spend(text.length);
  rt.produce(text.length * (1 + between.length));
  const pattern = truthy(hyphens) ? chunkPattern() : /\s+|\S+/g;
  return splitLines(text)
    .map((line) => wrapLine(rt, line.match(pattern) ?? [], limit, truthy(long)).join(between))
    .join(between);
}

function wrapLine(rt: Runtime, pieces: readonly string[], width: number, breakLong: boolean): string[] {
  const chunks = pieces.filter((chunk) => chunk !== '').reverse();
  const lines: string[] = [];
  while (chunks.length > 0) {
    rt.spend(1 + (chunks.at(-1)!.length >> 4));
    if (lines.length > 0 && chunks.at(-1)!.trim() === '') chunks.pop();
    const line: string[] = [];
    let used = 0;
    while (chunks.length > 0 && used + textLength(chunks.at(-1)!) <= width) {
      used += textLength(chunks.at(-1)!);
      line.push(chunks.pop()!);
    }
    if (chunks.length > 0 && textLength(chunks.at(-1)!) > width)
      breakChunk(chunks, line, width - used, breakLong);
    if (line.length > 0 && line.at(-1)!.trim() === '') line.pop();
    if (line.length > 0) lines.push(line.join(''));
  }
  return lines;
}

/** A word longer than a line: cut at the remaining space, or kept whole on a separate line. */
function breakChunk(chunks: string[], line: string[], space: number, breakLong: boolean): void {
  const chunk = chunks.at(-1)!;
  if (breakLong) {
    const points = hasPairs(chunk) ? Array.from(chunk) : undefined;
    line.push(points ? points.slice(0, space).join('') : chunk.slice(0, space));
    chunks[chunks.length - 1] = points ? points.slice(space).join('') : chunk.slice(space);
  } else if (line.length === 0) line.push(chunks.pop()!);
}
