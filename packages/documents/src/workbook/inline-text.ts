/**
 * Text inside `<script>` and `<style>`, where the parser of HTML knows no escapes: whatever would end the element, or lead
 * the parser into its states for old comments, is spelt in another way that means the same to whoever reads the text.
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

/** In strings, comments and addresses of CSS `\/` is a slash; elsewhere no slash follows `<`. */
export function escapeStyle(text: string): string {
  return text.replaceAll(/<\/(?=style)/gi, '<\\/');
}

const JAVASCRIPT = /^$|^module$|^(text|application)\/(x-)?(java|ecma|j|live)script/i;
const JSON_TYPES = /json$|^importmap$|^speculationrules$/i;
const UNSAFE = /<(?=!--|\/?script)/gi;

export function escapeScript(text: string, type = ''): string {
  if (text.search(UNSAFE) < 0) return text;
  if (JSON_TYPES.test(type)) return text.replaceAll(UNSAFE, '\\u003c');
  if (JAVASCRIPT.test(type)) return escapeJavaScript(text, /^module$/i.test(type));
  throw new Error(`text of type "${type}" has no other spelling for "</script" and "<!--"; give it as JSON`);
}

function escapeJavaScript(text: string, isModule: boolean): string {
  const hits = [...text.matchAll(UNSAFE)].map(({ index }) => index);
  const contexts = contextsOf(text, hits, isModule);
  let escaped = '';
  let from = 0;
  for (const [at, hit] of hits.entries()) {
    const old = !isModule && contexts[at] === 'code' && text.startsWith('<!--', hit);
    escaped += old ? `${text.slice(from, hit)}//` : spelt(text.slice(from, hit), contexts[at]!);
    from = hit + 1;
  }
  return escaped + text.slice(from);
}

/**
 * What stands before a `<`, and the `<`. An operator gets a space, a literal an escape; a raw string, which keeps escapes as
 * they are, a placeholder. A backslash that already escapes the `<` is made use of.
 */
function spelt(before: string, context: ScriptContext): string {
  if (context === 'code') return `${before}< `;
  const escaped = /\\*$/.exec(before)![0].length % 2 === 1;
  if (context === 'literal') return `${before}${escaped ? '' : '\\'}x3C`;
  return escaped ? `${before.slice(0, -1)}\${"\\\\\\x3C"}` : `${before}\${"\\x3C"}`;
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
