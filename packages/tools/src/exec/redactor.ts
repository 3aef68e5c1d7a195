/**
 * Replaces secret values by `[redacted]`, in texts and in streams, however they are split.
 *
 * Secrets are recognised by the names of environment variables. Values under six bytes are not secrets: they would
 * appear everywhere.
 */
import { isObject } from '@woof/net';
import { MarkedTexts } from '../marked-texts.ts';

const SECRET_NAME = /(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$|(^|_)(API)?KEY$/i;
/** Names that only look like secrets. */
const PLAIN_NAME = /^WOOF_IDEMPOTENCY_KEY$|PUBLIC_?KEY$/i;
const SHORTEST = 6;

export class Redactor {
  readonly #secrets = new MarkedTexts();

  constructor(envs: readonly Record<string, string | undefined>[]) {
    const values = envs.flatMap((env) =>
      Object.entries(env).flatMap(([name, value]) => (value && isSecret(name) ? [value] : [])),
    );
    this.#secrets.add(
      values.filter((value) => Buffer.byteLength(value) >= SHORTEST),
      '[redacted]',
    );
  }

  text(text: string): string {
    return this.#secrets.replace(text);
  }

  /** Redacts every text in a value, at any depth. */
  value<T>(value: T): T {
    if (this.#secrets.isEmpty) return value;
    if (typeof value === 'string') return this.text(value) as T;
    if (Array.isArray(value)) return value.map((entry) => this.value(entry)) as T;
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, this.value(entry)])) as T;
  }

  /** `push` returns what is safe to show, and `end` the rest. */
  stream(): { push(chunk: Buffer): Buffer; end(): Buffer } {
    if (this.#secrets.isEmpty) return { push: (chunk) => chunk, end: () => Buffer.alloc(0) };
    const stream = this.#secrets.ofBytes().stream();
    return {
      push: (chunk) => Buffer.from(stream.write(chunk.toString('latin1')), 'latin1'),
      end: () => Buffer.from(stream.end(), 'latin1'),
    };
  }
}

function isSecret(name: string): boolean {
  return SECRET_NAME.test(name) && !PLAIN_NAME.test(name);
}
