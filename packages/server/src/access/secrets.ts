/**
 * Secrets: written, listed by name, never given back over HTTP. Sealed with AES-256-GCM; the name is authenticated with
 * them, so that a sealed value cannot be moved under another name.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Problem } from '@woof/protocol';
import type { Records } from '@woof/stores';

const COLLECTION = 'secrets';

export class Secrets {
  constructor(
    private readonly records: Records,
    private readonly key: Buffer,
    private readonly now: () => number,
  ) {}

  async put(name: string, fields: Record<string, string>): Promise<void> {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(name));
    const sealed = Buffer.concat([cipher.update(JSON.stringify(fields), 'utf8'), cipher.final()]);
    await this.records.put(COLLECTION, name, {
      fields: Object.keys(fields),
      updated_at: this.now(),
      nonce: nonce.toString('base64'),
      tag: cipher.getAuthTag().toString('base64'),
      sealed: sealed.toString('base64'),
    });
  }

  /** For tasks; no call gives it out. */
  async open(name: string): Promise<Record<string, string> | undefined> {
    const value = (await this.records.get(COLLECTION, name))?.value;
    if (value === undefined) return undefined;
    const part = (key: string) => Buffer.from(String(value[key]), 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.key, part('nonce'))
      .setAAD(Buffer.from(name))
      .setAuthTag(part('tag'));
    const text = Buffer.concat([decipher.update(part('sealed')), decipher.final()]).toString('utf8');
    return JSON.parse(text) as Record<string, string>;
  }

  async list() {
    const all = await this.records.list(COLLECTION);
    return all.map(({ key, value }) => ({
      name: key,
      fields: value.fields as string[],
      updated_at: value.updated_at as number,
    }));
  }

  async remove(name: string): Promise<void> {
    if (!(await this.records.remove(COLLECTION, name)))
      throw new Problem('not-found', `there is no secret "${name}"`);
  }
}
