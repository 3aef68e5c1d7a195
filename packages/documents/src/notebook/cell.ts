/**
 * One cell as it was written. Owns: every byte from the text before its first line to the end of its closing fence, and
 * the tokens, which are read on first access. Does not own: whether any of it is valid.
 */
import { type CellToken, readTokens } from './cell-tokens.ts';

/** The raw pieces; in this order, together they are the text of the cell. */
export interface CellText {
  /** The text between the previous cell, or the header, and this cell. */
  before: string;
  /** The first line with its line break. */
  opener: string;
  /** The lines of the body, including the line break of the last one. */
  bodyText: string;
  /** The closing line with its line break; empty if the text ends before the cell is closed. */
  closer: string;
}

export class Cell implements CellText {
  readonly before: string;
  readonly opener: string;
  readonly bodyText: string;
  readonly closer: string;
  #tokens: readonly CellToken[] | undefined;

  constructor(
    text: CellText,
    /** Where the first line starts in the text. */
    readonly start: number,
    /** The column of the fence in the first line, and its length. */
    readonly fenceAt: number,
    readonly fenceLength: number,
  ) {
    this.before = text.before;
    this.opener = text.opener;
    this.bodyText = text.bodyText;
    this.closer = text.closer;
  }

  get tokens(): readonly CellToken[] {
    this.#tokens ??= readTokens(this.opener, this.fenceAt + this.fenceLength + 'cell'.length);
    return this.#tokens;
  }

  token(key: string): CellToken | undefined {
    return this.tokens.find((token) => token.key === key && token.fault !== 'no-equals');
  }

  get(key: string): string | undefined {
    return this.token(key)?.value;
  }

  get id(): string {
    return this.get('id') ?? '';
  }

  get type(): string {
    return this.get('type') ?? '';
  }

  get deps(): string[] {
    return splitList(this.get('deps')).filter((id) => id !== '');
  }

  /** The line break before the closing fence is not part of the body. */
  get body(): string {
    const text = this.bodyText;
    if (!text.endsWith('\n')) return text;
    return text.slice(0, text.endsWith('\r\n') ? -2 : -1);
  }

  get bodyStart(): number {
    return this.start + this.opener.length;
  }

  get end(): number {
    return this.bodyStart + this.bodyText.length + this.closer.length;
  }

  get isClosed(): boolean {
    return this.closer !== '';
  }
}

export function splitList(value: string | undefined): string[] {
  if (value === undefined || value.trim() === '') return [];
  return value.split(',').map((word) => word.trim());
}

/** The lines that hold this body: the reverse of `Cell.body`. */
export function bodyLines(body: string, lineEnd: string): string {
  if (body === '') return '';
  // A body that ends in a carriage return would lose it to the line break.
  return body + (body.endsWith('\r') ? '\r\n' : lineEnd);
}
