/**
 * Puts `***entry.field***` where a secret stands, in whatever a task gives back.
 *
 * Owns: texts and streams, in all forms that a value may take. Does not own: what is a secret (keychain.ts).
 * A value that is shorter than six characters is not sought: it stands in too much that is no secret.
 */
import { define, encodeJson, type Json, type JsonObject, plainNumber } from '@woof/net';
import { encodedForms } from './encoded-forms.ts';

export class Redactor {
  /** By form; the longest first, so that none is left behind in part. */
  private forms: [form: string, mark: string][] = [];
  private readonly known = new Map<string, string>();
  private pattern: RegExp | undefined;
  private longest = 0;

  /** Values only ever join: a token that was replaced may still come back. */
  add(mark: string, value: string): void {
    for (const form of encodedForms(value)) if (!this.known.has(form)) this.known.set(form, `***${mark}***`);
    this.forms = [...this.known].sort(([a], [b]) => b.length - a.length);
    this.longest = this.forms[0]?.[0].length ?? 0;
    this.pattern = patternOf(this.forms.map(([form]) => form));
  }

  get hidesNothing(): boolean {
    return this.pattern === undefined;
  }

  text(text: string): string {
    if (this.pattern === undefined) return text;
    return text.replace(this.pattern, (form) => this.known.get(form) ?? '***');
  }

  /** Whether one stands there. */
  finds(text: string): boolean {
    return this.pattern !== undefined && text.search(this.pattern) !== -1;
  }

  /** With as many asterisks in the place of each; the bytes themselves where there is none. */
  mask(bytes: Buffer): Buffer {
    const { pattern } = this.ofBytes();
    const text = bytes.toString('latin1');
    if (pattern === undefined || text.search(pattern) === -1) return bytes;
    return Buffer.from(
      text.replace(pattern, (form) => '*'.repeat(form.length)),
      'latin1',
    );
  }

  json(value: Json): Json {
    if (this.pattern === undefined) return value;
    // Most results hold none, and one search of their text is quicker than a walk.
    return encodeJson(value).search(this.pattern) === -1 ? value : this.walk(value);
  }

  private walk(value: Json): Json {
    if (typeof value === 'string') return this.text(value);
    if (plainNumber(value) !== undefined) return this.number(value);
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map((item) => this.walk(item));
    const redacted: JsonObject = {};
    for (const [key, item] of Object.entries(value)) define(redacted, this.text(key), this.walk(item));
    return redacted;
  }

  /** Text that comes in pieces: what may be the beginning of a secret waits for the next. */
  stream(): { write(piece: string): string; end(): string } {
    let held = '';
    return {
      write: (piece) => {
        const text = held + piece;
        const from = this.heldFrom(text);
        held = text.slice(from);
        return this.text(text.slice(0, from));
      },
      end: () => {
        const text = this.text(held);
        held = '';
        return text;
      },
    };
  }

  /** The same for bytes. */
  async *bytes(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const redactor = this.ofBytes();
    const stream = redactor.stream();
    for await (const chunk of source) {
      const text = stream.write(
        Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1'),
      );
      if (text !== '') yield Buffer.from(text, 'latin1');
    }
    const rest = stream.end();
    if (rest !== '') yield Buffer.from(rest, 'latin1');
  }

  /** A character a byte, so that nothing that is no text is changed. */
  private ofBytes(): Redactor {
    const bytes = new Redactor();
    const latin = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
    bytes.forms = this.forms.map(([form, mark]) => [latin(form), latin(mark)]);
    for (const [form, mark] of bytes.forms) bytes.known.set(form, mark);
    bytes.longest = Math.max(0, ...bytes.forms.map(([form]) => form.length));
    bytes.pattern = patternOf(bytes.forms.map(([form]) => form));
    return bytes;
  }

  private number(value: Json): Json {
    const text = encodeJson(value);
    const redacted = this.text(text);
    return redacted === text ? value : redacted;
  }

  /** From where on the text may become a secret, or belongs to one that reaches there. */
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
    for (let from = Math.max(0, text.length - this.longest + 1); from < text.length; from++) {
      const rest = text.slice(from);
      if (this.forms.some(([form]) => form.length > rest.length && form.startsWith(rest))) return from;
    }
    return text.length;
  }
}

function patternOf(forms: readonly string[]): RegExp | undefined {
  if (forms.length === 0) return undefined;
  return new RegExp(forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}
