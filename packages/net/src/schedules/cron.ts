/**
 * The text of "when": five fields, minute hour day month weekday.
 *
 * A field is a list of values, ranges (`1-5`) and steps (a range or `*`, then `/n`); months and weekdays have names; 7
 * is Sunday too; `L` is the last day of a month. If day and weekday are both restricted, either is enough, as in every
 * cron.
 */

export interface Cron {
  minutes: readonly number[];
  hours: readonly number[];
  days: ReadonlySet<number>;
  lastDay: boolean;
  months: ReadonlySet<number>;
  /** 0 is Sunday. */
  weekdays: ReadonlySet<number>;
  /** Day and weekday are both restricted. */
  either: boolean;
}

export interface CronFault {
  message: string;
  /** 1-based, the end exclusive. */
  column: number;
  endColumn: number;
  example: string;
}

interface Field {
  name: string;
  least: number;
  most: number;
  names: readonly string[];
  example: string;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const FIELDS: readonly Field[] = [
  { name: 'minute', least: 0, most: 59, names: [], example: '*/15 * * * *' },
  { name: 'hour', least: 0, most: 23, names: [], example: '0 6,18 * * *' },
  { name: 'day', least: 1, most: 31, names: [], example: '0 6 1,15 * *' },
  { name: 'month', least: 1, most: 12, names: MONTHS, example: '0 6 1 jan-jun *' },
  { name: 'weekday', least: 0, most: 7, names: WEEKDAYS, example: '0 6 * * mon-fri' },
];

const NICKNAMES: Record<string, string> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

const LONGEST_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

class Fault extends Error {
  constructor(
    message: string,
    readonly at: number,
    readonly length: number,
    readonly example = '0 6 * * 1-5',
  ) {
    super(message);
  }
}

/** A word of the text, and where it begins. */
interface Word {
  text: string;
  at: number;
}

export function parseCron(text: string): Cron | CronFault {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const column = error.at + 1;
    return { message: error.message, column, endColumn: column + error.length, example: error.example };
  }
}

export const isCronFault = (value: Cron | CronFault): value is CronFault => 'message' in value;

function parse(text: string): Cron {
  const words = wordsOf(nicknameOf(text));
  if (words.length !== FIELDS.length) {
    const what = `expected 5 fields (minute hour day month weekday), got ${words.length}`;
    throw new Fault(what, 0, Math.max(1, text.length));
  }
  const [minutes, hours, days, months, weekdays] = words.map((word, index) => valuesOf(word, FIELDS[index]!));
  const [, , day, , weekday] = words;
  const cron: Cron = {
    minutes: [...minutes!].sort((a, b) => a - b),
    hours: [...hours!].sort((a, b) => a - b),
    days: days!,
    lastDay: day!.text.split(',').some((part) => part.toUpperCase() === 'L'),
    months: months!,
    weekdays: new Set([...weekdays!].map((one) => one % 7)),
    either: !day!.text.startsWith('*') && !weekday!.text.startsWith('*'),
  };
  checkComes(cron, day!);
  return cron;
}

function nicknameOf(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('@')) return text;
  const full = NICKNAMES[trimmed.toLowerCase()];
  if (full !== undefined) return full;
  const known = Object.keys(NICKNAMES).join(', ');
  throw new Fault(
    `"${trimmed}" is not a known macro; use one of ${known}`,
    text.indexOf('@'),
    trimmed.length,
    '@daily',
  );
}

function wordsOf(text: string): Word[] {
  return [...text.matchAll(/\S+/g)].map((match) => ({ text: match[0], at: match.index }));
}

function valuesOf(word: Word, field: Field): Set<number> {
  const values = new Set<number>();
  let { at } = word;
  for (const text of word.text.split(',')) {
    if (!(field.name === 'day' && text.toUpperCase() === 'L'))
      for (const value of partOf({ text, at }, field)) values.add(value);
    at += text.length + 1;
  }
  return values;
}

// `*`, `3`, `1-5`, and any of these with a step: `*/10`, `1-30/2`, `5/10` (from 5 on).
function* partOf({ text, at }: Word, field: Field): Iterable<number> {
  const [range = '', step, ...more] = text.split('/');
  if (more.length > 0) throw fault(field, text, at, 'at most one "/"');
  const [from = '', to, ...rest] = range.split('-');
  if (rest.length > 0) throw fault(field, text, at, 'at most one "-"');
  const by = step === undefined ? 1 : stepOf(step, at + range.length + 1, field);
  const all = from === '*' && to === undefined;
  const first = all ? field.least : oneOf(from, at, field);
  const openEnd = all || (to === undefined && step !== undefined);
  const top = field.name === 'weekday' && openEnd ? 6 : field.most;
  let last = openEnd ? top : to === undefined ? first : oneOf(to, at + from.length + 1, field);
  if (field.name === 'weekday' && last === 0 && first > 0) last = 7;
  if (last < first) throw fault(field, text, at, 'a range from the lower to the higher value');
  for (let value = first; value <= last; value += by) yield value;
}

function oneOf(text: string, at: number, field: Field): number {
  const named = field.names.indexOf(text.toLowerCase());
  if (named >= 0) return named + field.least;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : -1;
  if (value >= field.least && value <= field.most) return value;
  throw fault(field, text, at, rangeOf(field));
}

function stepOf(text: string, at: number, field: Field): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw fault(field, text, at, 'a step of 1 or more');
}

function rangeOf({ least, most, names }: Field): string {
  const named = names.length > 0 ? ` or ${names[0]}-${names.at(-1)}` : '';
  return `${least}-${most}${named}`;
}

function fault(field: Field, got: string, at: number, expected: string): Fault {
  const what = got === '' ? 'nothing' : `"${got}"`;
  return new Fault(
    `${field.name}: expected ${expected}, got ${what}`,
    at,
    Math.max(1, got.length),
    field.example,
  );
}

/** 30 February never comes. */
function checkComes(cron: Cron, day: Word): void {
  if (cron.either || cron.lastDay) return;
  for (const month of cron.months) for (const one of cron.days) if (one <= LONGEST_MONTH[month - 1]!) return;
  throw new Fault(
    `day: none of these months has a day ${day.text}`,
    day.at,
    day.text.length,
    FIELDS[2]!.example,
  );
}
