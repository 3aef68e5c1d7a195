/**
 * The words of Python expressions that may name something outside of them.
 *
 * Left out: attributes, keywords of calls, parameters of lambdas and variables of comprehensions. Words in strings
 * count, for libraries look up names in text (`query`, SQL, formulas), except in calls and indexes that only take labels.
 */
import { depths } from './python-statements.ts';
import type { PythonToken } from './python-tokens.ts';
import { wordsIn } from './words.ts';

export interface WordSink {
  /** A word that may be a name, when the expression is evaluated or, if `isLate`, when something is called later. */
  name(word: string, isLate: boolean): void;
  /** A word of a string, which may reach whoever gets the string. */
  quoted(word: string): void;
  /** A word of a string that labels something. */
  label(word: string): void;
  /** A word that is no name here. */
  other(word: string): void;
}

/** What of the surroundings counts for the tokens of one bracket. */
interface Within {
  hidden: ReadonlySet<string>;
  isLate: boolean;
  isCall: boolean;
  isLabel: boolean;
}

const KEYWORDS = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if
   import in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
);

/** Methods of pandas and matplotlib, and functions, whose strings name columns or are shown. */
export const LABEL_CALLS: ReadonlySet<string> = new Set(
  `print DataFrame Series groupby sort_values set_index reset_index drop dropna drop_duplicates merge pivot pivot_table
   crosstab melt nlargest nsmallest rename agg astype assign value_counts isin fillna replace to_dict bar barh hist
   scatter boxplot plot line title suptitle set_title set_xlabel set_ylabel xlabel ylabel set_xticks set_yticks legend
   annotate axhline axvline figure subplots split strip startswith endswith contains strftime to_datetime rolling resample
   describe corr select_dtypes to_csv read_csv explode`.split(/\s+/),
);

export function readExpression(
  tokens: readonly PythonToken[],
  sink: WordSink,
  hidden: ReadonlySet<string> = new Set(),
  isLate = false,
): void {
  const within = { hidden, isLate, isCall: false, isLabel: false };
  new ExpressionReader(tokens, sink).read(0, tokens.length, within);
}

class ExpressionReader {
  readonly #depths: readonly number[];

  constructor(
    readonly tokens: readonly PythonToken[],
    readonly sink: WordSink,
  ) {
    this.#depths = depths(tokens);
  }

  read(from: number, to: number, within: Within): void {
    const first = this.#find('for', from, to);
    if (first === -1) this.#readPlain(from, to, within);
    else this.#readComprehension(from, first, to, within);
  }

  /** What it goes through first is evaluated outside of it; the rest knows its variables. */
  #readComprehension(from: number, first: number, to: number, within: Within): void {
    const hidden = new Set(within.hidden);
    for (let at = first; at !== -1; at = this.#find('for', at + 1, to)) {
      const end = this.#find('in', at, to);
      for (const { kind, text } of this.tokens.slice(at + 1, end)) if (kind === 'name') hidden.add(text);
    }
    const start = this.#find('in', first, to) + 1;
    const ends = ['for', 'if', 'async'].map((word) => this.#find(word, start, to));
    const end = Math.min(...ends.map((at) => (at === -1 ? to : at)));
    const inner = { ...within, hidden, isLate: true };
    this.#readPlain(from, first, inner);
    this.#readPlain(start, end, within);
    this.#readPlain(end, to, inner);
  }

  #readPlain(from: number, to: number, within: Within): void {
    for (let at = from; at < to; at++) {
      const { kind, text } = this.tokens[at]!;
      if (kind === 'name') at = this.#readName(at, to, within);
      else if (kind === 'string' || kind === 'format') this.#readString(this.tokens[at]!, within);
      else if (kind === 'sign' && '([{'.includes(text)) at = this.#readBracket(at, within);
    }
  }

  /** Where it ends. */
  #readName(at: number, to: number, within: Within): number {
    const { text } = this.tokens[at]!;
    if (text === 'lambda') return this.#readLambda(at, to, within);
    const isAttribute = this.#sign(at - 1) === '.' && this.tokens[at - 2]?.text !== 'woof';
    const isKeyword = within.isCall && this.#sign(at + 1) === '=';
    if (KEYWORDS.has(text) || isAttribute || isKeyword || within.hidden.has(text)) this.sink.other(text);
    else this.sink.name(text, within.isLate);
    return at;
  }

  #readString({ kind, text }: PythonToken, { hidden, isLabel }: Within): void {
    for (const word of wordsIn(text)) {
      if (kind === 'format' && hidden.has(word)) this.sink.other(word);
      else if (kind === 'string' && isLabel) this.sink.label(word);
      else this.sink.quoted(word);
    }
  }

  #readBracket(open: number, within: Within): number {
    const depth = this.#depths[open];
    let close = open + 1;
    while (close < this.tokens.length && this.#depths[close] !== depth) close++;
    const before = this.tokens[open - 1];
    const isBehind = before !== undefined && (isValue(before) || before.kind === 'string');
    const isCall = isBehind && this.tokens[open]!.text === '(';
    const isIndex = isBehind && this.tokens[open]!.text === '[';
    const takesLabels = isCall ? LABEL_CALLS.has(before.text) : before?.text !== 'woof';
    const isLabel = isCall || isIndex ? takesLabels : within.isLabel;
    this.read(open + 1, close, { ...within, isCall, isLabel });
    return close;
  }

  /** Its body, which runs when it is called, ends before a comma. */
  #readLambda(from: number, to: number, within: Within): number {
    const depth = this.#depths[from];
    const ends = (at: number, sign: string) => this.#depths[at] === depth && this.#sign(at) === sign;
    let colon = from + 1;
    while (colon < to && !ends(colon, ':')) colon++;
    let end = colon + 1;
    while (end < to && !ends(end, ',')) end++;
    const hidden = new Set(within.hidden);
    for (let at = from + 1; at < colon; at++) {
      const isParameter =
        this.#depths[at] === depth && ['lambda', ',', '*', '**'].includes(this.tokens[at - 1]!.text);
      if (isParameter && this.tokens[at]!.kind === 'name') hidden.add(this.tokens[at]!.text);
      else this.#readPlain(at, at + 1, within);
    }
    this.#readPlain(colon + 1, end, { ...within, hidden, isLate: true, isCall: false });
    return end - 1;
  }

  /** A word that stands in no bracket of this range. */
  #find(word: string, from: number, to: number): number {
    const depth = this.#depths[from] ?? 0;
    for (let at = from; at < to; at++) {
      const { kind, text } = this.tokens[at]!;
      if (kind === 'name' && text === word && this.#depths[at] === depth && this.#sign(at - 1) !== '.')
        return at;
    }
    return -1;
  }

  #sign(at: number): string | undefined {
    const token = this.tokens[at];
    return token?.kind === 'sign' ? token.text : undefined;
  }
}

/** Whether a bracket behind this token is a call or an index. */
function isValue({ kind, text }: PythonToken): boolean {
  return kind === 'name' ? !KEYWORDS.has(text) : kind === 'sign' && ')]}'.includes(text);
}
