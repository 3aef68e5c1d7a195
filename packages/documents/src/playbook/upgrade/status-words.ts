/** `outcome.status` in the text of templates, as YAML has it: quotes may be doubled or escaped. */

const STATUS = String.raw`\boutcome\s*(?:\.\s*status\b|\[\s*(?:\\?"|''|')status(?:\\?"|''|')\s*\])`;
const QUOTE = String.raw`(\\?"|''|')`;
const SIGN = String.raw`\s*(?:==|!=)\s*`;

const AFTER = new RegExp(`(${STATUS}${SIGN})${QUOTE}success\\2`, 'g');
const BEFORE = new RegExp(`${QUOTE}success\\1(${SIGN}${STATUS})`, 'g');
const IN_LIST = new RegExp(`(${STATUS}\\s+(?:not\\s+)?in\\s*[\\[(])([^\\])]*)`, 'g');
const WORD = new RegExp(`${QUOTE}success\\1`, 'g');

/** Compared with `success`: compared with `ok`. */
export function withStatusOk(text: string): string {
  return text
    .replaceAll(AFTER, '$1$2ok$2')
    .replaceAll(BEFORE, '$1ok$1$2')
    .replaceAll(IN_LIST, (_, head: string, items: string) => head + items.replaceAll(WORD, '$1ok$1'));
}

const KNOWN = '(?:success|ok|error)';
const COMPARED = [
  new RegExp(`${STATUS}${SIGN}${QUOTE}${KNOWN}\\1`, 'g'),
  new RegExp(`${QUOTE}${KNOWN}\\1${SIGN}${STATUS}`, 'g'),
  new RegExp(`${STATUS}\\s+(?:not\\s+)?in\\s*[\\[(](?:[\\s,]*${QUOTE}${KNOWN}\\1)*[\\s,]*[\\])]`, 'g'),
];

/** Whether it is read in any other way: then whoever gets it may wait for `success`. */
export function readsStatus(text: string): boolean {
  const left = COMPARED.reduce((so, pattern) => so.replaceAll(pattern, ''), text);
  return new RegExp(STATUS).test(left);
}

/** Whether the whole outcome is passed on, its status with it. */
export const readsWholeOutcome = (text: string): boolean => /\boutcome\b(?!\s*[.[])/.test(text);
