/**
 * Replaces each secret with `***entry.field***` in everything that a task returns.
 *
 * Owns: values, texts and streams, in all forms that a secret may take. Does not own: what is a secret (keychain.ts),
 * how it is found in a text (`MarkedTexts`).
 * A value shorter than six characters is not searched for: it occurs in too much text that is not secret.
 */
import { define, encodeJson, type Json, type JsonObject, plainNumber } from '@woof/net';
import { MarkedTexts } from '@woof/tools';
import { encodedForms } from './encoded-forms.ts';

export class Redactor {
  private readonly secrets = new MarkedTexts();

  /** Values are only ever added: a token that was replaced may still come back. */
  add(mark: string, value: string): void {
    this.secrets.add(encodedForms(value), `***${mark}***`);
  }

  get hidesNothing(): boolean {
    return this.secrets.isEmpty;
  }

  text(text: string): string {
    return this.secrets.replace(text);
  }

  /** True if the text contains a secret. */
  finds(text: string): boolean {
    return this.secrets.isIn(text);
  }

  /** Replaces each secret with as many asterisks; returns the same buffer if there is none. */
  mask(bytes: Buffer): Buffer {
    const secrets = this.secrets.ofBytes();
    const text = bytes.toString('latin1');
    return secrets.isIn(text) ? Buffer.from(secrets.cover(text), 'latin1') : bytes;
  }

  json(value: Json): Json {
    if (this.hidesNothing) return value;
    // Most results contain no secret, and one search of their text is quicker than a walk.
    return this.finds(encodeJson(value)) ? this.walk(value) : value;
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

  private number(value: Json): Json {
    const text = encodeJson(value);
    const redacted = this.text(text);
    return redacted === text ? value : redacted;
  }

  /** Redacts text that arrives in pieces. */
  stream(): { write(piece: string): string; end(): string } {
    return this.secrets.stream();
  }

  /** The same for bytes. */
  async *bytes(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const stream = this.secrets.ofBytes().stream();
    for await (const chunk of source) {
      const text = stream.write(
        Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1'),
      );
      if (text !== '') yield Buffer.from(text, 'latin1');
    }
    const rest = stream.end();
    if (rest !== '') yield Buffer.from(rest, 'latin1');
  }
}
