/**
 * `outcome.status` in templates, as YAML has their text: quotes may be doubled or escaped. Text outside {{ … }} and {%
 * … %} is left alone: code that has an `outcome` of its own, words for people.
 */
import { templateParts } from './template-parts.ts';

const WORDED = String.raw`(?:\\?"|''|')status(?:\\?"|''|')`;
const STATUS = String.raw`\boutcome\s*(?:\.\s*status\b|\[\s*${WORDED}\s*\]|\.\s*get\s*\(\s*${WORDED}\s*\))`;
const QUOTE = String.raw`(\\?"|''|')`;
const SIGN = String.raw`\s*(?:==|!=)\s*`;

const AFTER = new RegExp(`(${STATUS}${SIGN})${QUOTE}success\\2`, 'g');
const BEFORE = new RegExp(`${QUOTE}success\\1(${SIGN}${STATUS})`, 'g');
const IN_LIST = new RegExp(`(${STATUS}\\s+(?:not\\s+)?in\\s*[\\[(])([^\\])]*)`, 'g');
const WORD = new RegExp(`${QUOTE}success\\1`, 'g');

/** Replaces a comparison with `success` by one with `ok`. */
export function withStatusOk(text: string, isGuard: boolean): string {
  return templateParts(text, isGuard)
    .map(({ text: part, isTemplate }) => (isTemplate ? comparedWithOk(part) : part))
    .join('');
}

function comparedWithOk(template: string): string {
  return template
    .replaceAll(AFTER, '$1$2ok$2')
    .replaceAll(BEFORE, '$1ok$1$2')
    .replaceAll(IN_LIST, (_, head: string, items: string) => head + items.replaceAll(WORD, '$1ok$1'));
}

/**
 * A literal, as far as the comparison goes: not the beginning of a longer text. The status is no other word in either
 * dialect.
 */
const KNOWN = '[\\w .-]*';
const WHOLE = String.raw`(?!\s*(?:[~+*|.[(]|%(?!\})))`;
const COMPARED = [
  new RegExp(`${STATUS}${SIGN}${QUOTE}${KNOWN}\\1${WHOLE}`, 'g'),
  new RegExp(`(?<![~+%*]\\s*)${QUOTE}${KNOWN}\\1${SIGN}${STATUS}${WHOLE}`, 'g'),
  new RegExp(`${STATUS}\\s+(?:not\\s+)?in\\s*[\\[(](?:[\\s,]*${QUOTE}${KNOWN}\\1)*[\\s,]*[\\])]`, 'g'),
];

/** Whether it is read in any other way: then whatever receives it may expect `success`. */
export function readsStatus(text: string, isGuard: boolean): boolean {
  const left = COMPARED.reduce((so, pattern) => so.replaceAll(pattern, ''), templatesIn(text, isGuard));
  return new RegExp(STATUS).test(left);
}

/** Whether the whole outcome is passed on, including its status. */
export const readsWholeOutcome = (text: string, isGuard: boolean): boolean =>
  /\boutcome\b(?!\s*[.[])/.test(templatesIn(text, isGuard));

export const readsException = (text: string, isGuard: boolean): boolean =>
  /\boutcome\s*\.\s*py\s*\.\s*exception\b/.test(templatesIn(text, isGuard));

function templatesIn(text: string, isGuard: boolean): string {
  const parts = templateParts(text, isGuard).filter(({ isTemplate }) => isTemplate);
  return parts.map((part) => part.text).join('\n');
}
