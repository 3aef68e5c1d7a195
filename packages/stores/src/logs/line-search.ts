/**
 * Finds the lines in a block of JSON lines that a filter may match, without parsing the others.
 *
 * Works on the bytes as a latin1 string, which V8 searches at memory speed. Invariant: no line that the filter matches
 * is missed; a line that is found may still turn out not to match (`isMeant` decides on the parsed entry).
 */
import type { LogEntry, LogFilter } from './log-store.ts';

/** Where a line begins, and where its newline is. */
export type LineRange = readonly [start: number, end: number];

/** The next hit at or after a position; -1: none. */
type Finder = (block: string, from: number) => number;

/** Only this many characters are searched for, so that text made to defeat the search costs little per byte. */
const SEARCHED = 32;
const TEXT_FIELD = '"text":"';

export class LineSearch {
  private readonly finders: Finder[];
  private readonly q: string | undefined;

  constructor(private readonly filter: LogFilter) {
    const { step, stream, q } = filter;
    this.q = q?.toLowerCase();
    this.finders = [
      ...(step === undefined ? [] : [exactly(`"step":${JSON.stringify(step)}`)]),
      ...(stream === undefined ? [] : [exactly(`"stream":"${stream}"`)]),
      ...(q ? [inText(q)] : []),
    ];
  }

  /** The lines of a block, which ends with a newline. */
  *lines(block: string): Generator<LineRange> {
    for (let start = 0; start < block.length; ) {
      const found = this.firstFrom(block, start);
      if (found < 0) return;
      const end = block.indexOf('\n', found);
      yield [found, end];
      start = end + 1;
    }
  }

  isMeant(entry: LogEntry): boolean {
    const { step = entry.step, stream = entry.stream } = this.filter;
    if (entry.step !== step || entry.stream !== stream) return false;
    return !this.q || entry.text.toLowerCase().includes(this.q);
  }

  /** The start of the first line at or after `start` in which every finder hits. */
  private firstFrom(block: string, start: number): number {
    let line = start;
    for (let next = 0, agreed = 0; agreed < this.finders.length; next = (next + 1) % this.finders.length) {
      const hit = this.finders[next]!(block, line);
      if (hit < 0) return -1;
      const hitLine = block.lastIndexOf('\n', hit) + 1;
      agreed = hitLine === line ? agreed + 1 : 1;
      line = hitLine;
    }
    return line;
  }
}

function exactly(text: string): Finder {
  const needle = latin1(text);
  return (block, from) => block.indexOf(needle, from);
}

/** A hit before the text of its line, in a key or an id, advances to the text. */
function inText(q: string): Finder {
  const pattern = patternOf(q);
  return (block, from) => {
    for (let at = from; ; ) {
      pattern.lastIndex = at;
      const hit = pattern.exec(block)?.index ?? -1;
      if (hit < 0) return -1;
      const line = block.lastIndexOf('\n', hit) + 1;
      const text = block.indexOf(TEXT_FIELD, line) + TEXT_FIELD.length;
      if (hit >= text) return hit;
      at = text;
    }
  };
}

/** Each character in its upper-case and lower-case forms, as JSON writes it, in bytes. */
function patternOf(q: string): RegExp {
  const characters = [...q].slice(0, SEARCHED).map((character) => {
    const forms = new Set([character, character.toLowerCase(), character.toUpperCase()]);
    const written = [...forms].map((form) => escapePattern(latin1(JSON.stringify(form).slice(1, -1))));
    if (written.length === 1) return written[0];
    return [...forms].every((form) => form < '\x80') ? `[${written.join('')}]` : `(?:${written.join('|')})`;
  });
  return new RegExp(characters.join(''), 'g');
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
