import { QasmFault, type Token } from './qasm-tokens.ts';

/** Reads tokens one after another. */
export class TokenReader {
  private at = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get line(): number {
    return (this.tokens[this.at] ?? this.tokens.at(-1))?.line ?? 1;
  }

  /** In tokens. */
  get position(): number {
    return this.at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.tokens.length;
  }

  next(): Token {
    const token = this.tokens[this.at];
    if (token === undefined) throw new QasmFault('the program ends too early', this.line);
    this.at += 1;
    return token;
  }

  expect(text: string): void {
    const { text: got, line } = this.next();
    if (got !== text) throw new QasmFault(`expected "${text}", got "${got}"`, line);
  }

  takeOneOf(...texts: string[]): string | undefined {
    const text = this.tokens[this.at]?.text;
    if (text === undefined || !texts.includes(text)) return undefined;
    this.at += 1;
    return text;
  }

  name(): string {
    const { text, line } = this.next();
    if (!/^[A-Za-z_]\w*$/.test(text)) throw new QasmFault(`expected a name, got "${text}"`, line);
    return text;
  }

  count(): number {
    const { text, line } = this.next();
    if (!/^\d+$/.test(text)) throw new QasmFault(`expected a whole number, got "${text}"`, line);
    return Number(text);
  }

  /** A comma-separated list. */
  list<T>(one: () => T): T[] {
    const all = [one()];
    while (this.takeOneOf(',') !== undefined) all.push(one());
    return all;
  }
}
