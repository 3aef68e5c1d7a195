/** Owns: filters over text. Any value is first converted to text, as in Jinja2. */
import { define, type Table } from '../builtin.ts';
import { needString, optionalIndex, optionalString } from '../coerce.ts';
import { truthy } from '../compare.ts';
import { hasPairs, textLength } from '../iterate.ts';
import { toIndex } from '../numbers.ts';
import { printf } from '../printf.ts';
import { capitalise, center, replaceText, splitLines, strip } from '../python-text.ts';
import type { Runtime } from '../runtime.ts';
import { typeFault, valueFault } from '../template-error.ts';
import { toText } from '../text.ts';
import { Dict, tupleOf } from '../values.ts';
import { wrapText } from './word-wrap.ts';

const onText = (change: (text: string) => unknown) => define('', (rt, value) => change(toText(rt, value)));

/** Like `onText`, for work that visits each word or character separately. */
const walkingText = (change: (text: string) => unknown) =>
  define('', (rt, value) => {
    const text = toText(rt, value);
    rt.spend(text.length);
    return change(text);
  });

const WORD_START = /([-\s({[<]+)/;

const titleCase = (text: string): string =>
  text
    .split(WORD_START)
    .map((part) => capitalise(part))
    .join('');

function indent(rt: Runtime, value: unknown, width: unknown = 4, first?: unknown, blank?: unknown): string {
  const text = needString(value, 'the text to indent');
  const margin = typeof width === 'string' ? width : spaces(rt, toIndex(width, 'the width'));
  const lines = splitLines(`${text}\n`);
  rt.produce(text.length + lines.length * margin.length);
  const indented = lines.map((line, index) => {
    if (index === 0) return truthy(first) ? margin + line : line;
    return line !== '' || truthy(blank) ? margin + line : line;
  });
  return indented.join('\n');
}

function spaces(rt: Runtime, count: number): string {
  rt.produce(Math.max(0, count));
  return ' '.repeat(Math.max(0, count));
}

function truncate(
  rt: Runtime,
  value: unknown,
  length: unknown = 255,
  kill?: unknown,
  end: unknown = '...',
  leeway?: unknown,
): string {
  const text = needString(value, 'the text to truncate');
  rt.spend(text.length >> 4);
  const limit = toIndex(length, 'the length');
  const tail = needString(end, 'the end');
  const slack = optionalIndex(leeway, 'the leeway') ?? 5;
  if (limit < textLength(tail))
    throw valueFault(`the length must be at least ${textLength(tail)}, got ${limit}`);
  if (slack < 0) throw valueFault(`the leeway must not be negative, got ${slack}`);
  if (textLength(text) <= limit + slack) return text;
  const kept = cut(text, limit - textLength(tail));
  const space = truthy(kill) ? -1 : kept.lastIndexOf(' ');
  return (space < 0 ? kept : kept.slice(0, space)) + tail;
}

const cut = (text: string, length: number): string =>
  hasPairs(text) ? Array.from(text).slice(0, length).join('') : text.slice(0, length);

function format(rt: Runtime, value: unknown, positional: unknown, keyword: unknown): string {
  const named = keyword as [string, unknown][];
  const values = positional as unknown[];
  if (named.length > 0 && values.length > 0)
    throw typeFault('format takes positional or keyword arguments, not both');
  return printf(rt, toText(rt, value), named.length > 0 ? Dict.from(named) : tupleOf(values));
}

function replace(rt: Runtime, value: unknown, old: unknown, fresh: unknown, count?: unknown): string {
  const limit = optionalIndex(count, 'the count') ?? -1;
  return replaceText(rt, toText(rt, value), toText(rt, old), toText(rt, fresh), limit);
}

export const textFilters: Table = {
  capitalize: onText(capitalise),
  center: define('width', (rt, value, width = 80) =>
    center(rt, toText(rt, value), toIndex(width, 'the width'), ' '),
  ),
  format: define('*', format),
  indent: define('width first blank', indent),
  lower: onText((text) => text.toLowerCase()),
  replace: define('old! new! count', replace),
  string: onText((text) => text),
  title: walkingText(titleCase),
  trim: define('chars', (rt, value, chars) =>
    strip(toText(rt, value), optionalString(chars, 'the characters'), 'both'),
  ),
  truncate: define('length killwords end leeway', truncate),
  upper: onText((text) => text.toUpperCase()),
  wordcount: walkingText((text) => text.match(/[\p{L}\p{N}_\p{Mn}]+/gu)?.length ?? 0),
  wordwrap: define('width break_long_words wrapstring break_on_hyphens', wrapText),
};
