/**
 * The words and signs of Python code, as far as the search for names needs them: comments are dropped, a string is one
 * opaque token, and line breaks inside brackets do not count.
 */
export interface PythonToken {
  kind: 'name' | 'number' | 'string' | 'sign' | 'newline';
  text: string;
  /** Offset in the code. */
  at: number;
  /** The indent of the line, on the first token of a logical line. */
  indent?: number;
}

const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /\.?\d[\w.]*/y;
const QUOTE = /[rbuftRBUFT]{0,2}("""|'''|"|')/y;
const SIGN = /(?:->|:=|\*\*=?|\/\/=?|>>=?|<<=?|[-+*/%@&|^=!<>]=|.)/suy;

/** `undefined` if the code cannot be split into tokens: a string that does not end, or IPython syntax. */
export function pythonTokens(code: string): PythonToken[] | undefined {
  const reader = new TokenReader(code);
  return reader.read() ? reader.tokens : undefined;
}

class TokenReader {
  readonly tokens: PythonToken[] = [];
  #at = 0;
  #depth = 0;
  #lineStart = 0;
  #isFresh = true;

  constructor(readonly code: string) {}

  read(): boolean {
    while (this.#at < this.code.length) if (!this.#step()) return false;
    return true;
  }

  #step(): boolean {
    const char = this.code[this.#at]!;
    if (char === '\n') this.#newline();
    else if (char === '\\' && /^\\\r?\n/.test(this.code.slice(this.#at, this.#at + 3))) {
      this.#at = this.code.indexOf('\n', this.#at) + 1;
    } else if (char === ' ' || char === '\t' || char === '\r' || char === '\f') this.#at++;
    else if (char === '#') this.#skipComment();
    else if (this.#isIpython(char)) return false;
    else return this.#string() ?? this.#word();
    return true;
  }

  /** `%magic`, `!command`, `x = %magic`, `name?`: whatever they do, it is not Python. */
  #isIpython(char: string): boolean {
    if (char === '?' || char === '$') return true;
    if (char === '!') return this.code[this.#at + 1] !== '=';
    return char === '%' && (this.#isFresh || this.tokens.at(-1)?.text === '=');
  }

  #newline(): void {
    if (this.#depth === 0) {
      if (!this.#isFresh) this.#push('newline', '\n', this.#at);
      this.#isFresh = true;
    }
    this.#at++;
    this.#lineStart = this.#depth === 0 ? this.#at : this.#lineStart;
  }

  #skipComment(): void {
    const end = this.code.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.code.length : end;
  }

  #push(kind: PythonToken['kind'], text: string, at: number): void {
    const token: PythonToken = { kind, text, at };
    if (this.#isFresh && kind !== 'newline') token.indent = at - this.#lineStart;
    this.#isFresh = false;
    this.tokens.push(token);
  }

  /** Whether a string that starts here ends; `undefined` if none starts here. */
  #string(): boolean | undefined {
    QUOTE.lastIndex = this.#at;
    const found = QUOTE.exec(this.code);
    if (!found) return undefined;
    const end = this.#endOfString(this.#at + found[0].length, found[1]!);
    if (end === undefined) return false;
    this.#push('string', '', this.#at);
    this.#at = end;
    return true;
  }

  #endOfString(from: number, quote: string): number | undefined {
    for (let at = from; at < this.code.length; at++) {
      const char = this.code[at];
      if (char === '\\') at++;
      else if (char === '\n' && quote.length === 1) return undefined;
      else if (this.code.startsWith(quote, at)) return at + quote.length;
    }
    return undefined;
  }

  #word(): boolean {
    for (const [kind, pattern] of [
      ['name', NAME],
      ['number', NUMBER],
      ['sign', SIGN],
    ] as const) {
      pattern.lastIndex = this.#at;
      const text = pattern.exec(this.code)?.[0];
      if (text === undefined) continue;
      this.#push(kind, text, this.#at);
      if ('([{'.includes(text)) this.#depth++;
      if (')]}'.includes(text)) this.#depth = Math.max(0, this.#depth - 1);
      this.#at += text.length;
      return true;
    }
    return false;
  }
}
