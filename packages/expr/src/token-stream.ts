/** Owns: walking over tokens, and the error that says what was expected and what was found. */
import { syntax, type Token } from './lexer.ts';
import type { Fault } from './template-error.ts';

export class TokenStream {
  readonly source: string;
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(source: string, tokens: readonly Token[]) {
    this.source = source;
    this.#tokens = tokens;
  }

  get current(): Token {
    return this.#tokens[this.#at]!;
  }
  get ahead(): Token {
    return this.#tokens[Math.min(this.#at + 1, this.#tokens.length - 1)]!;
  }
  /** The end of the last consumed token. */
  get lastEnd(): number {
    return this.#at === 0 ? 0 : this.#tokens[this.#at - 1]!.end;
  }

  next(): Token {
    const token = this.current;
    if (this.#at < this.#tokens.length - 1) this.#at++;
    return token;
  }

  isOp(...operators: string[]): boolean {
    return this.current.type === 'op' && operators.includes(this.current.text);
  }
  isName(...names: string[]): boolean {
    return this.current.type === 'name' && names.includes(this.current.text);
  }
  skipOp(operator: string): boolean {
    const found = this.isOp(operator);
    if (found) this.next();
    return found;
  }
  skipName(name: string): boolean {
    const found = this.isName(name);
    if (found) this.next();
    return found;
  }
  expectOp(operator: string): Token {
    if (!this.isOp(operator)) throw this.unexpected(`"${operator}"`);
    return this.next();
  }
  expectKeyword(name: string): Token {
    if (!this.isName(name)) throw this.unexpected(`"${name}"`);
    return this.next();
  }
  expectName(what = 'a name'): Token {
    if (this.current.type !== 'name') throw this.unexpected(what);
    return this.next();
  }

  unexpected(expected: string, hint?: string): Fault {
    return this.fail(`expected ${expected}, got ${describe(this.current)}`, this.current, hint);
  }
  fail(message: string, token: Token = this.current, hint?: string): Fault {
    return syntax(this.source, token.start, token.end, message, hint);
  }
}

function describe(token: Token): string {
  switch (token.type) {
    case 'end':
      return 'the end of the template';
    case 'printend':
    case 'tagend':
      return `the end of the tag`;
    case 'string':
      return 'a string';
    case 'data':
      return 'text';
    default:
      return `"${token.text}"`;
  }
}
