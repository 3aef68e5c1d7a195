/**
 * Finds given texts and puts a mark in the place of each, in whole texts and in streams, wherever a piece ends.
 *
 * Owns: the search. Does not own: what is a secret and what its mark says (exec/redactor.ts; the worker's keychain).
 * Invariant: a stream shows nothing that may be the beginning of one of the texts before it knows.
 */
export class MarkedTexts {
  private readonly marks = new Map<string, string>();
  /** The longest first, so that none is left behind in part. */
  private texts: string[] = [];
  private pattern: RegExp | undefined;

  /** One that is known keeps its mark. */
  add(texts: Iterable<string>, mark: string): void {
    for (const text of texts) if (!this.marks.has(text)) this.marks.set(text, mark);
    this.seek();
  }

  private seek(): void {
    this.texts = [...this.marks.keys()].sort((a, b) => b.length - a.length);
    this.pattern = patternOf(this.texts);
  }

  get isEmpty(): boolean {
    return this.pattern === undefined;
  }

  /** Whether one stands there. */
  isIn(text: string): boolean {
    return this.pattern !== undefined && text.search(this.pattern) !== -1;
  }

  /** With its mark in the place of each. */
  replace(text: string): string {
    if (this.pattern === undefined) return text;
    return text.replace(this.pattern, (found) => this.marks.get(found) ?? '***');
  }

  /** With as many asterisks in the place of each. */
  cover(text: string): string {
    if (this.pattern === undefined) return text;
    return text.replace(this.pattern, (found) => '*'.repeat(found.length));
  }

  /** Text that comes in pieces: what may be the beginning of one waits for the next piece. */
  stream(): { write(piece: string): string; end(): string } {
    let held = '';
    return {
      write: (piece) => {
        const text = held + piece;
        const from = this.heldFrom(text);
        held = text.slice(from);
        return this.replace(text.slice(0, from));
      },
      end: () => {
        const text = this.replace(held);
        held = '';
        return text;
      },
    };
  }

  /** The same texts, to be sought in bytes: a character per byte, so that nothing that is not text is changed. */
  ofBytes(): MarkedTexts {
    const bytes = new MarkedTexts();
    const latin = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
    for (const [text, mark] of this.marks) bytes.marks.set(latin(text), latin(mark));
    bytes.seek();
    return bytes;
  }

  /** From where on the text may become one of them, or belongs to one that reaches there. */
  private heldFrom(text: string): number {
    const from = this.beginningIn(text);
    if (this.pattern === undefined || from === text.length) return from;
    for (const match of text.matchAll(this.pattern)) {
      if (match.index >= from) break;
      if (match.index + match[0].length > from) return match.index;
    }
    return from;
  }

  private beginningIn(text: string): number {
    const longest = this.texts[0]?.length ?? 0;
    for (let from = Math.max(0, text.length - longest + 1); from < text.length; from++) {
      const rest = text.slice(from);
      if (this.texts.some((one) => one.length > rest.length && one.startsWith(rest))) return from;
    }
    return text.length;
  }
}

function patternOf(texts: readonly string[]): RegExp | undefined {
  if (texts.length === 0) return undefined;
  return new RegExp(texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}
