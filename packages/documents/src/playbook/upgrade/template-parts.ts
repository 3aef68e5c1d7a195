/**
 * A text split into its templates and the text between them. Maps inside a template may contain braces of their own; a
 * guard without braces is one expression.
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

/** The offset after the closing braces; the end of the text if there are none. */
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
