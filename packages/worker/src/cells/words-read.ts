/**
 * The words of a Python statement by which it may read a name of its kernel. Words in quotes count, because a name may be
 * looked up by its text. Names of attributes and of arguments do not, nor do comments, and nor do the targets of a
 * comprehension and the parameters of a `lambda` where they hide whatever else has the name.
 *
 * Invariant: the time is linear in the text.
 */
import { pieceEnd } from './python-pieces.ts';

type WordsIn = (text: string) => readonly string[];

const NAME = '[A-Za-z_]\\w*';
/** After a word, a closing bracket or a text in quotes. */
const ATTRIBUTE = `(?<=[\\w)\\]}\\0]\\s*)\\.${NAME}`;
const ATTRIBUTES = new RegExp(ATTRIBUTE, 'g');
const ATTRIBUTES_AND_ARGUMENTS = new RegExp(`${ATTRIBUTE}|(?<=[(,]\\s*)${NAME}[ \\t]*=(?!=)`, 'g');
/** Stands for a part that was read before: a text in quotes or what was in brackets. */
const PART = /\0(\d+)\0/g;
const PLAIN_TARGETS = /^[\w\s,*\0]*$/;
const PLAIN_PARAMETERS = /^[\w\s,*]*$/;
const DEEPEST = 100;

/** Undefined if the brackets do not match or are nested too deeply. */
export function wordsRead(statement: string, wordsIn: WordsIn): ReadonlySet<string> | undefined {
  const reading = new Reading(wordsIn);
  const plain = reading.withoutQuotes(statement.replaceAll('\0', ' '));
  if (plain === undefined) return undefined;
  // A parameter of a lambda looks like the name of an argument, and its default is read.
  const text = plain.replaceAll(/\blambda\b/.test(plain) ? ATTRIBUTES : ATTRIBUTES_AND_ARGUMENTS, ' ');
  const open = [''];
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at);
    const piece = text.slice(at, end);
    if (end === at || open.length > DEEPEST) return undefined;
    at = end;
    if ('([{'.includes(piece)) {
      open.push('');
      continue;
    }
    const isEnd = ')]}'.includes(piece);
    const inner = isEnd ? reading.keep(reading.inBrackets(open.pop()!)) : piece;
    if (open.length === 0) return undefined;
    open[open.length - 1] += inner;
  }
  return open.length === 1 ? new Set(reading.words(open[0]!)) : undefined;
}

class Reading {
  readonly #parts: ReadonlySet<string>[] = [];

  constructor(readonly wordsIn: WordsIn) {}

  keep(words: readonly string[]): string {
    return `\0${this.#parts.push(new Set(words)) - 1}\0`;
  }

  words(text: string): string[] {
    const found = [...text.matchAll(PART)].flatMap(([, index]) => [...this.#parts[Number(index)]!]);
    return [...this.wordsIn(text.replaceAll(PART, ' ')), ...found];
  }

  /** Nor comments. Undefined if a text in quotes does not end. */
  withoutQuotes(text: string): string | undefined {
    const parts: string[] = [];
    for (let at = 0; at < text.length; ) {
      const end = pieceEnd(text, at);
      if (end === at) return undefined;
      parts.push(this.#withoutQuote(text.slice(at, end)));
      at = end;
    }
    return parts.join('');
  }

  #withoutQuote(piece: string): string {
    if (/^['"]/.test(piece)) return this.keep(this.wordsIn(piece));
    return piece.startsWith('#') ? ' ' : piece;
  }

  /** Python evaluates the first iterable of a comprehension outside of it. */
  inBrackets(text: string): string[] {
    const [element, ...parts] = this.#withoutLambdas(text).split(/\bfor\b/);
    const all = parts.map((part) => this.#ofFor(part));
    const own = all.flatMap(({ targets }) => targets);
    const inside = [...this.words(element!), ...all.flatMap(({ others }) => others)];
    const iterables = all.map(({ iterable }) => iterable);
    return [...(iterables[0] ?? []), ...without([...inside, ...iterables.slice(1).flat()], own)];
  }

  /** After the word `for`. */
  #ofFor(part: string): Record<'targets' | 'iterable' | 'others', string[]> {
    const at = part.search(/\bin\b/);
    const targets = part.slice(0, Math.max(at, 0));
    if (at === -1 || !PLAIN_TARGETS.test(targets))
      return { targets: [], iterable: this.words(part), others: [] };
    const rest = part.slice(at + 2);
    const end = rest.search(/\b(?:if|async)\b/);
    const [iterable, others] = end === -1 ? [rest, ''] : [rest.slice(0, end), rest.slice(end)];
    return { targets: this.words(targets), iterable: this.words(iterable), others: this.words(others) };
  }

  /** The body of a `lambda` ends with a comma, a comprehension or the brackets. */
  #withoutLambdas(text: string): string {
    const [before, ...parts] = text.split(/\blambda\b/);
    const read = parts.map((part) => {
      const colon = part.indexOf(':');
      const parameters = part.slice(0, Math.max(colon, 0));
      if (colon === -1 || !PLAIN_PARAMETERS.test(parameters)) return part;
      const rest = part.slice(colon + 1);
      const end = rest.search(/,|\bfor\b/);
      const body = end === -1 ? rest : rest.slice(0, end);
      const words = without(this.words(body), this.wordsIn(parameters));
      return this.keep(words) + rest.slice(body.length);
    });
    return [before, ...read].join(' ');
  }
}

function without(words: readonly string[], hidden: readonly string[]): string[] {
  const names = new Set(hidden);
  return words.filter((word) => !names.has(word));
}
