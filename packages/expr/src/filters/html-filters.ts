/** Owns: filters for HTML and URLs. There is no Markup type: the results are plain text. Uses only linear scans. */
import { define, type Table } from '../builtin.ts';
import { optionalIndex, optionalString } from '../coerce.ts';
import { truthy } from '../compare.ts';
import { isIterable, iterate } from '../iterate.ts';
import type { Runtime } from '../runtime.ts';
import { typeFault, valueFault } from '../template-error.ts';
import { toText } from '../text.ts';
import { dictEntries, isDict, typeName, Undefined } from '../values.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);

const escapeFilter = define('', (rt, value) => {
  const text = toText(rt, value);
  rt.produce(text.length * 5);
  return escapeHtml(text);
});

function unescapeHtml(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,4}));/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}

/** Removes text from `open` to `close`. An opener that is never closed stays. */
function cutBetween(text: string, open: string, close: string): string {
  let result = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (end < 0) return result + text.slice(at);
    result += text.slice(at, start);
    at = end + close.length;
  }
}

const striptags = define('', (rt, value) => {
  const source = toText(rt, value);
  rt.spend(source.length);
  const text = cutBetween(cutBetween(source, '<!--', '-->'), '<', '>');
  return unescapeHtml(text.split(/\s+/).filter(Boolean).join(' '));
});

function xmlattr(rt: Runtime, value: unknown, autospace: unknown = true): string {
  if (!isDict(value)) throw typeFault(`xmlattr needs a dict, got ${typeName(value)}`);
  const pairs = dictEntries(value).filter(([, item]) => item !== null && !(item instanceof Undefined));
  const written = pairs.map(([key, item]) => {
    const name = toText(rt, key);
    if (/[\s/>=]/.test(name)) throw valueFault(`"${name}" cannot be the name of an attribute`);
    return `${escapeHtml(name)}="${escapeHtml(toText(rt, item))}"`;
  });
  return (truthy(autospace) && written.length > 0 ? ' ' : '') + written.join(' ');
}

function quoteUrl(rt: Runtime, value: unknown, inQuery: boolean): string {
  const text = toText(rt, value);
  rt.produce(text.length * 3);
  const safe = text.replace(/[\ud800-\udfff]/gu, '\ufffd');
  const quoted = encodeURIComponent(safe).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return inQuery ? quoted.replaceAll('%20', '+') : quoted.replaceAll('%2F', '/');
}

function urlencode(rt: Runtime, value: unknown): string {
  if (typeof value === 'string' || !isIterable(value)) return quoteUrl(rt, value, false);
  const pairs = isDict(value) ? dictEntries(value) : iterate(rt, value).map((pair) => pairOf(rt, pair));
  return pairs.map(([key, item]) => `${quoteUrl(rt, key, true)}=${quoteUrl(rt, item, true)}`).join('&');
}

function pairOf(rt: Runtime, value: unknown): readonly unknown[] {
  const pair = iterate(rt, value);
  if (pair.length !== 2) throw valueFault(`urlencode needs pairs, got ${pair.length} items`);
  return pair;
}

const WEB =
  /^(?:https?:\/\/|www\.)[^\s"<>]+\.?[a-z0-9\]]|^[\w%-]{2,63}(?:\.[\w%-]{2,63})*\.(?:com|net|int|edu|gov|org|info|mil)(?:[/?#]|$)/i;
const MAIL = /^[^\s@:]+@[\w][\w.-]*\.\w+$/;

/** Links web and mail addresses. It recognises fewer forms than Jinja2. */
function urlize(
  rt: Runtime,
  value: unknown,
  limit?: unknown,
  nofollow?: unknown,
  target?: unknown,
  rel?: unknown,
): string {
  const text = toText(rt, value);
  rt.spend(text.length);
  const words = escapeHtml(text).split(/(\s+)/);
  const most = optionalIndex(limit, 'the limit');
  const rels = new Set([
    ...(optionalString(rel, 'rel') ?? '').split(' '),
    'noopener',
    truthy(nofollow) ? 'nofollow' : '',
  ]);
  const relation = [...rels].filter(Boolean).sort().join(' ');
  const targetText = optionalString(target, 'the target');
  const extra = ` rel="${escapeHtml(relation)}"${targetText ? ` target="${escapeHtml(targetText)}"` : ''}`;
  rt.spend(words.length);
  rt.produce(words.length * extra.length);
  return words.map((word) => linkWord(word, most, extra)).join('');
}

function linkWord(word: string, limit: number | undefined, extra: string): string {
  const head = /^(?:[(<]|&lt;)*/.exec(word)![0];
  const [middle, tail] = cutTail(word.slice(head.length));
  const shown = limit !== undefined && middle.length > limit ? `${middle.slice(0, limit)}...` : middle;
  if (WEB.test(middle)) {
    const address = /^https?:\/\//.test(middle) ? middle : `https://${middle}`;
    return `${head}<a href="${address}"${extra}>${shown}</a>${tail}`;
  }
  const mail = middle.startsWith('mailto:') ? middle.slice(7) : middle;
  return MAIL.test(mail) ? `${head}<a href="mailto:${mail}">${mail}</a>${tail}` : word;
}

/** Punctuation at the end of a word is not part of an address. */
function cutTail(word: string): [string, string] {
  let end = word.length;
  for (;;) {
    if (word.endsWith('&gt;', end)) end -= 4;
    else if (end > 0 && ')>.,\n'.includes(word[end - 1]!)) end--;
    else return [word.slice(0, end), word.slice(end)];
  }
}

export const htmlFilters: Table = {
  e: escapeFilter,
  escape: escapeFilter,
  forceescape: escapeFilter,
  safe: define('', (rt, value) => toText(rt, value)),
  striptags,
  urlencode: define('', urlencode),
  urlize: define('trim_url_limit nofollow target rel', urlize),
  xmlattr: define('autospace', xmlattr),
};
