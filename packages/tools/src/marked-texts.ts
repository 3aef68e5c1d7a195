/**
 * Finds given texts and replaces each by a mark, in whole texts and in streams, however they are split.
 *
 * Owns: the search. Does not own: what is a secret and what its mark says (exec/redactor.ts; the worker's keychain).
 * Invariant: a stream holds back anything that may be the beginning of one of the texts until it knows.
 */
export class MarkedTexts {
  private readonly marks = new Map<string, string>();
  /** The longest first, so that no part of one is left. */
  private texts: string[] = [];
  private pattern: RegExp | undefined;

  /** A text that is already known keeps its mark. */
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

  /** Whether the text contains one of them. */
  isIn(text: string): boolean {
    return this.pattern !== undefined && text.search(this.pattern) !== -1;
  }

  /** Replaces each by its mark. */
  replace(text: string): string {
    if (this.pattern === undefined) return text;
    return text.replace(this.pattern, (found) => this.marks.get(found) ?? '***');
  }

  /** Replaces each by as many asterisks. */
  cover(text: string): string {
    if (this.pattern === undefined) return text;
    return text.replace(this.pattern, (found) => '*'.repeat(found.length));
  }

  /** For text that arrives in pieces: a possible beginning of one waits for the next piece. */
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

  /** The same texts, for searching in bytes: one character per byte, so that bytes that are not text stay unchanged. */
  ofBytes(): MarkedTexts {
    const bytes = new MarkedTexts();
    const latin = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
    for (const [text, mark] of this.marks) bytes.marks.set(latin(text), latin(mark));
    bytes.seek();
    return bytes;
  }

  /** The position from which the text may become one of them, or belongs to one that reaches there. */
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
