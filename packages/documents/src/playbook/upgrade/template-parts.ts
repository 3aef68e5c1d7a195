/**
 * A text cut into its templates and what stands between them. Maps inside a template may hold braces of their own; a guard
 * without braces is an expression as a whole.
 */

export interface TextPart {
  text: string;
  isTemplate: boolean;
}

const OPENING = /\{\{|\{%/g;

export function templateParts(text: string, isGuard: boolean): TextPart[] {
  if (isGuard && !/\{[{%]/.test(text)) return [{ text, isTemplate: true }];
  const parts: TextPart[] = [];
  let at = 0;
  const cut = (to: number, isTemplate: boolean) => {
    if (to > at) parts.push({ text: text.slice(at, to), isTemplate });
    at = Math.max(at, to);
  };
  for (const { index } of text.matchAll(OPENING)) {
    if (index < at) continue;
    cut(index, false);
    cut(closingOf(text, index), true);
  }
  cut(text.length, false);
  return parts;
}

/** Behind what closes it; the end of the text where nothing does. */
function closingOf(text: string, start: number): number {
  const closing = text.startsWith('{%', start) ? '%}' : '}}';
  let depth = 0;
  for (let at = start + 2; at < text.length; at += 1) {
    if (depth === 0 && text.startsWith(closing, at)) return at + 2;
    if (text[at] === '{') depth += 1;
    else if (text[at] === '}' && depth > 0) depth -= 1;
  }
  return text.length;
}
