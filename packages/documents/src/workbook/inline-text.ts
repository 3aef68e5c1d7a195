/**
 * Text inside `<script>` and `<style>`, where the HTML parser knows no escapes. Whatever would end the element, or lead
 * the parser into its legacy comment states, is written in another way that means the same to the reader of the text.
 */
import { contextsOf, type ScriptContext } from './script-contexts.ts';

export type Attributes = Readonly<Record<string, string | true>>;

export function inlineScript(text: string, attributes: Attributes = {}): string {
  const type = attributes.type;
  return `<script${printAttributes(attributes)}>${escapeScript(text, type === true ? '' : type)}</script>`;
}

export function inlineStyle(text: string, attributes: Attributes = {}): string {
  return `<style${printAttributes(attributes)}>${escapeStyle(text)}</style>`;
}

/** In CSS strings, comments and addresses `\/` is a slash; elsewhere no slash follows `<`. */
export function escapeStyle(text: string): string {
  return text.replaceAll(/<\/(?=style)/gi, '<\\/');
}

const JAVASCRIPT = /^$|^module$|^(text|application)\/(x-)?(java|ecma|j|live)script/i;
const JSON_TYPES = /json$|^importmap$|^speculationrules$/i;
/**
 * What would end the script or open a legacy comment, and what the HTML parser changes or forbids: control characters.
 */
const UNSAFE = /<(?=!--|\/?script)|(?![\t\n\f\r])\p{Cc}|\p{Cs}|\p{Noncharacter_Code_Point}/giu;

export function escapeScript(text: string, type = ''): string {
  if (text.search(UNSAFE) < 0) return text;
  if (JSON_TYPES.test(type)) return text.replaceAll(UNSAFE, (char) => unitsOf(char, 4));
  if (JAVASCRIPT.test(type)) return escapeJavaScript(text, /^module$/i.test(type));
  if (!/<(?=!--|\/?script)|\0/i.test(text)) return text;
  throw new Error(`text of type "${type}" has no other spelling for "</script" and "<!--"; give it as JSON`);
}

function escapeJavaScript(text: string, isModule: boolean): string {
  const hits = [...text.matchAll(UNSAFE)];
  const contexts = contextsOf(
    text,
    hits.map(({ index }) => index),
    isModule,
  );
  const pieces: string[] = [];
  let from = 0;
  for (const [at, { 0: char, index }] of hits.entries()) {
    const before = text.slice(from, index);
    const old = !isModule && contexts[at] === 'code' && text.startsWith('<!--', index);
    pieces.push(old ? `${before}//` : spelt(before, char, contexts[at]!));
    from = index + char.length;
  }
  return pieces.join('') + text.slice(from);
}

/**
 * The text before a character, and the character. An operator gets a space, a literal an escape, and a raw string,
 * which keeps escapes unchanged, a placeholder. A backslash that already escapes the character is reused.
 */
function spelt(before: string, char: string, context: ScriptContext): string {
  // In code, a control character can only be white space.
  if (context === 'code') return char === '<' ? `${before}< ` : `${before} `;
  const escaped = /\\*$/.exec(before)![0].length % 2 === 1;
  const spelling = unitsOf(char, 2);
  if (context === 'literal') return escaped ? `${before}${spelling.slice(1)}` : `${before}${spelling}`;
  return escaped ? `${before.slice(0, -1)}\${"\\\\${spelling}"}` : `${before}\${"${spelling}"}`;
}

/** As escapes of its UTF-16 units, which strings and regular expressions of every kind understand. */
function unitsOf(char: string, digits: 2 | 4): string {
  return Array.from({ length: char.length }, (_, at) => {
    const unit = char.charCodeAt(at);
    const hex = unit.toString(16).toUpperCase();
    return digits === 2 && unit < 256 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`;
  }).join('');
}

export function printAttributes(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => {
      if (!/^[a-z][a-z0-9:_-]*$/i.test(name)) throw new Error(`no name of an attribute: ${name}`);
      return value === true ? ` ${name}` : ` ${name}="${escapeAttribute(value)}"`;
    })
    .join('');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** For a value in double quotes. */
export function escapeAttribute(value: string): string {
  return value.replaceAll(/[&<>"]/g, (char) => ENTITIES[char]!);
}

export function escapeText(text: string): string {
  return text.replaceAll(/[&<>]/g, (char) => ENTITIES[char]!);
}
