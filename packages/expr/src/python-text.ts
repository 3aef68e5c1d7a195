/** Owns: the parts of Python's str that filters and methods share. Every result is paid for before it is made. */
import { textLength } from './iterate.ts';
import type { Runtime } from './runtime.ts';

/** The first character in upper case, the rest in lower case. */
export function capitalise(text: string): string {
  const first = text === '' ? '' : String.fromCodePoint(text.codePointAt(0)!);
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

export function center(rt: Runtime, text: string, width: number, filler: string): string {
  const length = textLength(text);
  const space = width - length;
  if (space <= 0) return text;
  rt.produce(width);
  const left = Math.floor(space / 2) + (space & width & 1);
  return filler.repeat(left) + text + filler.repeat(space - left);
}

export function justify(
  rt: Runtime,
  text: string,
  width: number,
  filler: string,
  side: 'left' | 'right',
): string {
  const space = width - textLength(text);
  if (space <= 0) return text;
  rt.produce(width);
  return side === 'left' ? text + filler.repeat(space) : filler.repeat(space) + text;
}

export function replaceText(rt: Runtime, text: string, old: string, fresh: string, limit: number): string {
  const most = old === '' ? textLength(text) + 1 : text.split(old).length - 1;
  const count = limit < 0 ? most : Math.min(limit, most);
  rt.spend(1 + text.length / 64 + count);
  rt.produce(text.length + count * fresh.length);
  if (count === 0) return text;
  if (old === '') return insertBetween(text, fresh, count);
  const parts = text.split(old);
  return (
    parts.slice(0, count + 1).join(fresh) +
    parts
      .slice(count + 1)
      .map((part) => old + part)
      .join('')
  );
}

/** Replacing the empty text inserts the new text before each character and after the last. */
function insertBetween(text: string, fresh: string, count: number): string {
  const characters = Array.from(text);
  const head = characters.slice(0, count).map((character) => fresh + character);
  return head.join('') + characters.slice(count).join('') + (count > characters.length ? fresh : '');
}

const BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

export function splitLines(text: string, keep = false): string[] {
  const lines: string[] = [];
  let at = 0;
  for (const match of text.matchAll(BREAK)) {
    lines.push(text.slice(at, match.index + (keep ? match[0].length : 0)));
    at = match.index + match[0].length;
  }
  if (at < text.length) lines.push(text.slice(at));
  return lines;
}

export type Side = 'left' | 'right' | 'both';

/** Without `characters`, strips white space. */
export function strip(text: string, characters: string | undefined, side: Side): string {
  if (characters === undefined) {
    if (side === 'left') return text.trimStart();
    return side === 'right' ? text.trimEnd() : text.trim();
  }
  const unwanted = new Set(characters);
  const points = Array.from(text);
  let start = 0;
  let end = points.length;
  if (side !== 'right') while (start < end && unwanted.has(points[start]!)) start++;
  if (side !== 'left') while (end > start && unwanted.has(points[end - 1]!)) end--;
  return points.slice(start, end).join('');
}
