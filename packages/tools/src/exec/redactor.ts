/**
 * Puts `[redacted]` in the place of secret values, in text and in streams, wherever a chunk ends.
 *
 * What is secret is known by the names of environment variables. Values under six bytes are no secrets: they would
 * stand everywhere.
 */
import { isObject } from '@woof/net';

const SECRET_NAME = /(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$|(^|_)(API)?KEY$/i;
/** Names that only look like it. */
const PLAIN_NAME = /^WOOF_IDEMPOTENCY_KEY$|PUBLIC_?KEY$/i;
const SHORTEST = 6;
const MARK = Buffer.from('[redacted]');

export class Redactor {
  readonly #secrets: Buffer[];

  constructor(envs: readonly Record<string, string | undefined>[]) {
    const values = envs.flatMap((env) =>
      Object.entries(env).flatMap(([name, value]) => (value && isSecret(name) ? [value] : [])),
    );
    // Longest first: one secret may hold another.
    this.#secrets = [...new Set(values)]
      .map((value) => Buffer.from(value))
      .filter((value) => value.length >= SHORTEST)
      .sort((a, b) => b.length - a.length);
  }

  get idle(): boolean {
    return this.#secrets.length === 0;
  }

  text(text: string): string {
    return this.idle ? text : this.#replaced(Buffer.from(text)).toString();
  }

  /** Deep: every text of a value. */
  value<T>(value: T): T {
    if (this.idle) return value;
    if (typeof value === 'string') return this.text(value) as T;
    if (Array.isArray(value)) return value.map((entry) => this.value(entry)) as T;
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, this.value(entry)])) as T;
  }

  /** `push` gives what is safe to show; `end` the rest. */
  stream(): { push(chunk: Buffer): Buffer; end(): Buffer } {
    if (this.idle) return { push: (chunk) => chunk, end: () => Buffer.alloc(0) };
    let held: Buffer = Buffer.alloc(0);
    return {
      push: (chunk) => {
        const clean = this.#replaced(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
        const tail = this.#begun(clean);
        held = clean.subarray(clean.length - tail);
        return clean.subarray(0, clean.length - tail);
      },
      end: () => held,
    };
  }

  #replaced(bytes: Buffer): Buffer {
    let clean = bytes;
    for (const secret of this.#secrets) clean = replaceAll(clean, secret);
    return clean;
  }

  /** How many bytes at the end may be the beginning of a secret. */
  #begun(bytes: Buffer): number {
    let longest = 0;
    for (const secret of this.#secrets) {
      for (let size = Math.min(secret.length - 1, bytes.length); size > longest; size -= 1) {
        if (bytes.subarray(bytes.length - size).equals(secret.subarray(0, size))) longest = size;
      }
    }
    return longest;
  }
}

function isSecret(name: string): boolean {
  return SECRET_NAME.test(name) && !PLAIN_NAME.test(name);
}

function replaceAll(bytes: Buffer, secret: Buffer): Buffer {
  let at = bytes.indexOf(secret);
  if (at < 0) return bytes;
  const parts: Buffer[] = [];
  let from = 0;
  for (; at >= 0; at = bytes.indexOf(secret, from)) {
    parts.push(bytes.subarray(from, at), MARK);
    from = at + secret.length;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}
