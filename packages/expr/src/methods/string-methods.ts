/** Owns: the methods of Python's str. Not here: encode, translate and maketrans, as there are no bytes or tables. */
import { type Builtin, define, type Run, type Table } from '../builtin.ts';
import { needString, optionalIndex, optionalString } from '../coerce.ts';
import { truthy } from '../compare.ts';
import { formatString } from '../format-string.ts';
import { hasPairs, iterate, textLength } from '../iterate.ts';
import { toIndex } from '../numbers.ts';
import { capitalise, center, justify, replaceText, type Side, splitLines, strip } from '../python-text.ts';
import type { Runtime } from '../runtime.ts';
import { typeFault, valueFault } from '../template-error.ts';
import { dictEntries, isDict, listOf, Tuple, tupleOf, typeName } from '../values.ts';
import * as classes from './character-classes.ts';

type Text = string;
const simple = (change: (text: Text) => unknown): Builtin => define('', (_rt, text) => change(text as Text));
/** Like `simple`, for work that visits each character separately. */
const walking = (change: (text: Text) => unknown): Builtin =>
  define('', (rt, text) => {
    rt.spend((text as Text).length);
    return change(text as Text);
  });
const method = (signature: string, run: (rt: Runtime, text: Text, ...args: unknown[]) => unknown): Builtin =>
  define(signature, run as Run);

const stripper = (side: Side): Builtin =>
  method('chars', (_rt, text, chars) => strip(text, optionalString(chars, 'the characters'), side));

function filler(value: unknown): string {
  const text = value === undefined ? ' ' : needString(value, 'the fill character');
  if (textLength(text) !== 1) throw typeFault('the fill character must be exactly one character');
  return text;
}

const justifier = (side: 'left' | 'right'): Builtin =>
  method('width! fillchar', (rt, text, width, fill) =>
    justify(rt, text, toIndex(width, 'the width'), filler(fill), side),
  );

/** The part of a text between two optional indices, and where it starts. */
function part(text: Text, start: unknown, end: unknown): { body: Text; offset: number } | undefined {
  if (start === undefined && end === undefined) return { body: text, offset: 0 };
  const points = hasPairs(text) ? Array.from(text) : text.split('');
  const clamp = (index: number): number =>
    Math.max(0, Math.min(points.length, index < 0 ? index + points.length : index));
  const from = optionalIndex(start, 'the start') ?? 0;
  const to = clamp(optionalIndex(end, 'the end') ?? points.length);
  if (from > points.length || clamp(from) > to) return undefined;
  return { body: points.slice(clamp(from), to).join(''), offset: clamp(from) };
}

function position(text: Text, needle: unknown, start: unknown, end: unknown, last: boolean): number {
  const wanted = needString(needle, 'the text to find');
  const range = part(text, start, end);
  if (!range) return -1;
  const found = last ? range.body.lastIndexOf(wanted) : range.body.indexOf(wanted);
  if (found < 0) return -1;
  return range.offset + (hasPairs(range.body) ? textLength(range.body.slice(0, found)) : found);
}

const finder = (last: boolean, strict: boolean): Builtin =>
  method('sub! start end', (_rt, text, needle, start, end) => {
    const found = position(text, needle, start, end, last);
    if (found < 0 && strict) throw valueFault('the text was not found');
    return found;
  });

function countIn(_rt: Runtime, text: Text, needle: unknown, start: unknown, end: unknown): number {
  const wanted = needString(needle, 'the text to count');
  const range = part(text, start, end);
  if (!range) return 0;
  return wanted === '' ? textLength(range.body) + 1 : range.body.split(wanted).length - 1;
}

const edge = (end: boolean): Builtin =>
  method('prefix! start end', (rt, text, wanted, start, stop) => {
    const range = part(text, start, stop);
    const options = wanted instanceof Tuple ? iterate(rt, wanted) : [wanted];
    return options.some((option) => {
      const affix = needString(option, 'the text to compare with');
      return range !== undefined && (end ? range.body.endsWith(affix) : range.body.startsWith(affix));
    });
  });

/** The pieces of a text after at most `limit` cuts. JS undefined as the separator means runs of white space. */
function cut(text: Text, separator: string | undefined, limit: number, fromRight: boolean): string[] {
  if (separator === '') throw valueFault('the separator is empty');
  if (separator === undefined) return cutAtSpace(text, limit, fromRight);
  const pieces = text.split(separator);
  if (limit < 0 || pieces.length <= limit + 1) return pieces;
  if (fromRight) {
    const keep = pieces.length - limit;
    return [pieces.slice(0, keep).join(separator), ...pieces.slice(keep)];
  }
  return [...pieces.slice(0, limit), pieces.slice(limit).join(separator)];
}

function cutAtSpace(text: Text, limit: number, fromRight: boolean): string[] {
  if (limit < 0) return text.match(/\S+/g) ?? [];
  const words = Array.from(text.matchAll(/\S+/g));
  if (words.length <= limit) return words.map(([word]) => word);
  if (fromRight) {
    const keep = words.length - limit;
    const last = words[keep - 1]!;
    return [text.slice(0, last.index + last[0].length), ...words.slice(keep).map(([word]) => word)];
  }
  return [...words.slice(0, limit).map(([word]) => word), text.slice(words[limit]!.index)];
}

const splitter = (fromRight: boolean): Builtin =>
  method('sep maxsplit', (rt, text, separator, limit) => {
    const pieces = cut(
      text,
      optionalString(separator, 'the separator'),
      optionalIndex(limit, 'maxsplit') ?? -1,
      fromRight,
    );
    rt.produce(pieces.length);
    rt.spend(pieces.length + text.length / 4);
    return listOf(pieces);
  });

const partition = (last: boolean): Builtin =>
  method('sep!', (_rt, text, separator) => {
    const mark = needString(separator, 'the separator');
    if (mark === '') throw valueFault('the separator is empty');
    const at = last ? text.lastIndexOf(mark) : text.indexOf(mark);
    if (at < 0) return tupleOf(last ? ['', '', text] : [text, '', '']);
    return tupleOf([text.slice(0, at), mark, text.slice(at + mark.length)]);
  });

function join(rt: Runtime, separator: Text, items: unknown): string {
  const parts = Array.from(iterate(rt, items), (item, index) => {
    if (typeof item !== 'string')
      throw typeFault(`item ${index} to join is a ${typeName(item)}`, 'use the filter "| join"');
    return item;
  });
  rt.produce(parts.reduce((sum, text) => sum + text.length + separator.length, 0));
  return parts.join(separator);
}

function zfill(rt: Runtime, text: Text, width: unknown): string {
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  return sign + justify(rt, text.slice(sign.length), toIndex(width, 'the width') - sign.length, '0', 'right');
}

function expandTabs(rt: Runtime, text: Text, size: unknown = 8): string {
  const width = Math.max(0, toIndex(size, 'the tab size'));
  rt.spend(text.length);
  rt.produce(text.length + (text.split('\t').length - 1) * width);
  let column = 0;
  let result = '';
  for (const character of text) {
    const added = character === '\t' ? ' '.repeat(width === 0 ? 0 : width - (column % width)) : character;
    column = character === '\n' || character === '\r' ? 0 : column + added.length;
    result += added;
  }
  return result;
}

const swapCase = (text: Text): string =>
  text.replace(/./gsu, (character) =>
    character === character.toUpperCase() ? character.toLowerCase() : character.toUpperCase(),
  );

const titleCase = (text: Text): string => text.replace(/\p{L}+/gu, capitalise);

function format(rt: Runtime, text: Text, positional: unknown, keyword: unknown): string {
  return formatString(rt, text, {
    positional: positional as unknown[],
    keyword: keyword as [string, unknown][],
  });
}

function formatMap(rt: Runtime, text: Text, values: unknown): string {
  if (!isDict(values)) throw typeFault(`format_map needs a dict, got ${typeName(values)}`);
  return formatString(rt, text, {
    positional: [],
    keyword: dictEntries(values).map(([key, value]) => [String(key), value]),
  });
}

export const stringMethods: Table = {
  capitalize: simple(capitalise),
  casefold: simple((text) => text.replaceAll('ß', 'ss').toLowerCase()),
  center: method('width! fillchar', (rt, text, width, fill) =>
    center(rt, text, toIndex(width, 'the width'), filler(fill)),
  ),
  count: method('sub! start end', countIn),
  endswith: edge(true),
  expandtabs: method('tabsize', expandTabs),
  find: finder(false, false),
  format: method('*', format),
  format_map: method('mapping!', formatMap),
  index: finder(false, true),
  isalnum: simple(classes.isAlnum),
  isalpha: simple(classes.isAlpha),
  isascii: simple(classes.isAscii),
  isdecimal: simple(classes.isDecimal),
  isdigit: simple(classes.isDigit),
  isidentifier: simple(classes.isIdentifier),
  islower: walking(classes.isLower),
  isnumeric: simple(classes.isNumeric),
  isprintable: walking(classes.isPrintable),
  isspace: simple(classes.isSpace),
  istitle: walking(classes.isTitle),
  isupper: walking(classes.isUpper),
  join: method('iterable!', join),
  ljust: justifier('left'),
  lower: simple((text) => text.toLowerCase()),
  lstrip: stripper('left'),
  partition: partition(false),
  removeprefix: method('prefix!', (_rt, text, prefix) => {
    const head = needString(prefix, 'the prefix');
    return text.startsWith(head) ? text.slice(head.length) : text;
  }),
  removesuffix: method('suffix!', (_rt, text, suffix) => {
    const tail = needString(suffix, 'the suffix');
    return tail !== '' && text.endsWith(tail) ? text.slice(0, -tail.length) : text;
  }),
  replace: method('old! new! count', (rt, text, old, fresh, count) =>
    replaceText(
      rt,
      text,
      needString(old, 'the old text'),
      needString(fresh, 'the new text'),
      optionalIndex(count, 'the count') ?? -1,
    ),
  ),
  rfind: finder(true, false),
  rindex: finder(true, true),
  rjust: justifier('right'),
  rpartition: partition(true),
  rsplit: splitter(true),
  rstrip: stripper('right'),
  split: splitter(false),
  splitlines: method('keepends', (rt, text, keep) => {
    rt.spend(text.length / 16);
    return listOf(splitLines(text, truthy(keep)));
  }),
  startswith: edge(false),
  strip: stripper('both'),
  swapcase: walking(swapCase),
  title: walking(titleCase),
  upper: simple((text) => text.toUpperCase()),
  zfill: method('width!', zfill),
};
