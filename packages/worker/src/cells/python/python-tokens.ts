/**
 * The words, signs and strings of a Python cell, by logical lines. Comments and line breaks inside brackets are gone.
 *
 * Invariant: whoever reads the tokens misses no word of the code. Text that is not surely understood has none: a string
 * without an end, brackets that do not match, syntax of IPython, quotes inside the braces of a formatted string.
 */
export interface PythonToken {
  kind: 'name' | 'number' | 'string' | 'format' | 'sign';
  /** Of a string, what stands between its quotes. */
  text: string;
}

export interface PythonLine {
  indent: number;
  tokens: PythonToken[];
}

const SPACE = /[ \t\f]+|\\\n|#[^\n]*/y;
const NAME = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{M}\p{N}\p{Pc}]*/uy;
const NUMBER = /\.?\d(?:[eE][-+]\d|[\w.])*/y;
const STRING =
  /(?<prefix>[rbuftRBUFT]{0,2})(?:(?<triple>"""|''')(?<long>(?:\\[\s\S]|(?!\k<triple>)[^\\])*)\k<triple>|(?<quote>["'])(?<short>(?:\\[\s\S]|(?!\k<quote>)[^\\\n])*)\k<quote>)/y;
const SIGN = /->|:=|\.\.\.|(?:\*\*|\/\/|>>|<<|[-+*/%@&|^=!<>])=|\*\*|\/\/|>>|<<|[-+*/%@&|^=<>~.,:;()[\]{}]/y;
const INDENT = /[ \t\f]*/y;
/** Beyond this a cell is data. */
const MAX_LENGTH = 200_000;
const TAB = 8;
/** Words that may stand between two values. */
const BETWEEN = new Set('and or not in is if else for async as from lambda'.split(' '));
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

export function pythonLines(code: string): PythonLine[] | undefined {
  if (code.length > MAX_LENGTH) return undefined;
  const reader = new LineReader(code.replace(/\r\n?/g, '\n'));
  return reader.read() ? reader.lines : undefined;
}

class LineReader {
  readonly lines: PythonLine[] = [];
  readonly #open: string[] = [];
  #line: PythonLine | undefined;
  #at = 0;

  constructor(readonly code: string) {}

  read(): boolean {
    while (this.#at < this.code.length) if (!this.#step()) return false;
    return this.#open.length === 0;
  }

  #step(): boolean {
    if (this.code[this.#at] === '\n') {
      this.#at++;
      if (this.#open.length === 0) this.#line = undefined;
      return true;
    }
    if (this.#line === undefined && this.#open.length === 0) this.#begin();
    if (this.#take(SPACE)) return true;
    const string = this.#take(STRING)?.groups;
    if (string) return this.#addString(string);
    const name = this.#take(NAME)?.[0].normalize('NFKC');
    if (name !== undefined) return this.#addName(name);
    const number = this.#take(NUMBER)?.[0];
    if (number !== undefined) return this.#add({ kind: 'number', text: number });
    const sign = this.#take(SIGN)?.[0];
    return sign !== undefined && this.#nest(sign) && this.#add({ kind: 'sign', text: sign });
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.code);
    if (found) this.#at += found[0].length;
    return found;
  }

  #begin(): void {
    const space = this.#take(INDENT)![0].replace(/.*\f/, '');
    let indent = 0;
    for (const char of space) indent = char === '\t' ? (Math.floor(indent / TAB) + 1) * TAB : indent + 1;
    this.#line = { indent, tokens: [] };
  }

  /** A name right behind a string: what looked like its end was a quote inside of it. */
  #addName(text: string): boolean {
    const before = this.#line?.tokens.at(-1)?.kind;
    const isBehind = before === 'string' || before === 'format';
    return (!isBehind || BETWEEN.has(text)) && this.#add({ kind: 'name', text });
  }

  #addString({ prefix, long, short }: Record<string, string>): boolean {
    const text = long ?? short ?? '';
    const kind = /[ft]/i.test(prefix ?? '') ? 'format' : 'string';
    if (kind === 'format' && !isWhole(text)) return false;
    return this.#add({ kind, text });
  }

  #nest(sign: string): boolean {
    const closing = CLOSING[sign];
    if (closing !== undefined) this.#open.push(closing);
    else if (')]}'.includes(sign)) return this.#open.pop() === sign;
    return true;
  }

  #add(token: PythonToken): boolean {
    const line = this.#line!;
    if (line.tokens.length === 0) this.lines.push(line);
    line.tokens.push(token);
    return true;
  }
}

/** Whether every brace that opens in a formatted string also closes there. */
function isWhole(text: string): boolean {
  const count = (brace: string) => text.split(brace).length;
  return count('{') === count('}');
}
