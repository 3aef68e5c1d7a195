/**
 * The words and signs of JavaScript code, as far as the search for names needs them: comments are dropped, and a string
 * or regular expression is one opaque token. The content of `${…}` is code, in round brackets.
 */
import { KEYWORDS } from './javascript-words.ts';

export interface JavascriptToken {
  kind: 'name' | 'value' | 'sign';
  text: string;
  /** Offset in the code. */
  at: number;
  /** Whether it is the first of its line. */
  isFirst: boolean;
}

const NAME = /#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /\.?\d[\w.]*/y;
const STRING = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|^#![^\n]*/y;
const REGEXP = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const SIGN =
  /=>|\.\.\.|\?\.(?!\d)|(?:===|!==|==|!=|<=|>=)|(?:\*\*|&&|\|\||\?\?|<<|>>>?|[-+*/%&|^])=|\+\+|--|[\s\S]/uy;

/** `undefined` if the code cannot be split into tokens: a string, comment or template does not end. */
export function javascriptTokens(code: string): JavascriptToken[] | undefined {
  const reader = new TokenReader(code);
  return reader.read() ? reader.tokens : undefined;
}

class TokenReader {
  readonly tokens: JavascriptToken[] = [];
  #at = 0;
  #isFirst = true;
  /** For each open template, how many curly brackets are open inside its `${`. */
  readonly #templates: number[] = [];

  constructor(readonly code: string) {}

  read(): boolean {
    while (this.#at < this.code.length) if (!this.#step()) return false;
    return this.#templates.length === 0;
  }

  #step(): boolean {
    const char = this.code[this.#at]!;
    if (/\s/.test(char)) return this.#space(char);
    const comment = this.#match(COMMENT);
    if (comment !== undefined) {
      this.#isFirst ||= comment.includes('\n');
      this.#at += comment.length;
      return true;
    }
    if (char === '`') return this.#push('value', 1) && this.#template();
    if (char === '}' && this.#templates.at(-1) === 0) return this.#endOfCode();
    if (char === '"' || char === "'") return this.#token('value', STRING);
    if (char === '/' && this.#opensRegexp()) return this.#token('value', REGEXP);
    return this.#token('name', NAME) || this.#token('value', NUMBER) || this.#sign();
  }

  #space(char: string): boolean {
    if (char === '\n') this.#isFirst = true;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.code)?.[0];
  }

  #token(kind: JavascriptToken['kind'], pattern: RegExp): boolean {
    const text = this.#match(pattern);
    return text !== undefined && this.#push(kind, text.length);
  }

  #push(kind: JavascriptToken['kind'], length: number, text?: string): boolean {
    const own = text ?? (kind === 'value' ? '' : this.code.slice(this.#at, this.#at + length));
    this.tokens.push({ kind, text: own, at: this.#at, isFirst: this.#isFirst });
    this.#isFirst = false;
    this.#at += length;
    return true;
  }

  #sign(): boolean {
    const text = this.#match(SIGN)!;
    if (text === '/' && this.code[this.#at + 1] === '*') return false;
    const depth = this.#templates.length - 1;
    if (text === '{' && depth >= 0) this.#templates[depth]!++;
    if (text === '}' && depth >= 0) this.#templates[depth]!--;
    return this.#push('sign', text.length);
  }

  /** After a value a slash divides; elsewhere it opens a regular expression. */
  #opensRegexp(): boolean {
    const last = this.tokens.at(-1);
    if (last === undefined) return true;
    if (last.kind === 'value') return false;
    return last.kind === 'name' ? KEYWORDS.has(last.text) : !')]}'.includes(last.text);
  }

  /** The text of a template, up to its end or to code in it. */
  #template(): boolean {
    for (; this.#at < this.code.length; this.#at++) {
      const char = this.code[this.#at];
      if (char === '\\') this.#at++;
      else if (char === '`') {
        this.#at++;
        return true;
      } else if (char === '$' && this.code[this.#at + 1] === '{') {
        this.#templates.push(0);
        return this.#push('sign', 2, '(');
      }
    }
    return false;
  }

  #endOfCode(): boolean {
    this.#templates.pop();
    return this.#push('sign', 1, ')') && this.#template();
  }
}
