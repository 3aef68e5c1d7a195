/**
 * Where a character of a scalar's value is in the source.
 *
 * Folding, indentation and trailing space only ever change white space, so the n-th visible character of the value is
 * the n-th visible character of the source; escapes are counted as what they produce.
 */
import type { ScalarNode } from './tree.ts';

const BLANK = /\s/;
const HEX_DIGITS: Record<string, number> = { x: 2, u: 4, U: 8 };
const BLANK_ESCAPES = new Set(['n', 't', 'r', ' ', '\t', '\n', '\r', 'v', 'f', '_', 'L', 'P', 'N']);

/** The offset in `text` of `node.value[index]`. */
export function sourceOffset(node: ScalarNode, text: string, index: number): number {
  if (typeof node.value !== 'string') return node.start;
  return nthVisible(node, text, countVisible(node.value.slice(0, index)));
}

/** The offset after it: an escape or a doubled quote is longer than the character it stands for. */
export function sourceEnd(node: ScalarNode, text: string, index: number): number {
  const at = sourceOffset(node, text, index);
  return at + unitAt(node.style, text, at).length;
}

/** The offset of the first visible character of the value: after the quote or the block header. */
export function contentOffset(node: ScalarNode, text: string): number {
  return nthVisible(node, text, 0);
}

/** For each line of the value, the offset of its first visible character; for a blank line, that of the next one. */
export function lineOffsets(node: ScalarNode, text: string): number[] {
  const visible = visibleOffsets(node, text);
  let at = visible.next().value ?? node.start;
  return String(node.value)
    .split('\n')
    .map((line) => {
      const start = at;
      for (let left = countVisible(line); left > 0; left--) at = visible.next().value ?? at;
      return start;
    });
}

function* visibleOffsets(node: ScalarNode, text: string): Generator<number, undefined> {
  for (let at = firstContent(node, text); at < node.end; ) {
    const { length, visible } = unitAt(node.style, text, at);
    for (let i = 0; i < visible; i++) yield at;
    at += length;
  }
}

function countVisible(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (!BLANK.test(text[i]!)) count++;
  return count;
}

function nthVisible(node: ScalarNode, text: string, n: number): number {
  let left = n;
  for (const at of visibleOffsets(node, text)) if (left-- === 0) return at;
  return node.start;
}

function firstContent(node: ScalarNode, text: string): number {
  if (node.style === 'plain') return node.start;
  if (node.style !== 'block') return node.start + 1;
  const headerEnd = text.indexOf('\n', node.start);
  return headerEnd === -1 ? node.end : headerEnd + 1;
}

/** One unit of the source, and how many visible UTF-16 units of the value it produces. */
function unitAt(style: ScalarNode['style'], text: string, at: number): { length: number; visible: number } {
  const char = text[at]!;
  if (style === 'single' && char === "'" && text[at + 1] === "'") return { length: 2, visible: 1 };
  if (style === 'double' && char === '\\') return escapeAt(text, at);
  return { length: 1, visible: BLANK.test(char) ? 0 : 1 };
}

function escapeAt(text: string, at: number): { length: number; visible: number } {
  const kind = text[at + 1] ?? '';
  const digits = HEX_DIGITS[kind];
  if (digits === undefined) return { length: 2, visible: BLANK_ESCAPES.has(kind) ? 0 : 1 };
  const code = Number.parseInt(text.slice(at + 2, at + 2 + digits), 16);
  const made = code <= 0x10ffff ? String.fromCodePoint(code) : '';
  return { length: 2 + digits, visible: countVisible(made) };
}
