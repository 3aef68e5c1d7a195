/**
 * The encrypted store of secrets: written, listed by name, opened for tasks. Sealed with AES-256-GCM. The name is
 * authenticated with the value, so that a sealed value cannot be moved to another name.
 *
 * The first key seals; all of them open, so that a key can be replaced while secrets sealed with the old one remain.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { JsonObject } from '@woof/net';
import { Problem } from '@woof/protocol';
import type { Records } from '@woof/stores';

const COLLECTION = 'secrets';

export class Secrets {
  constructor(
    private readonly records: Records,
    private readonly keys: readonly Buffer[],
    private readonly now: () => number,
  ) {}

  async put(name: string, fields: Record<string, string>): Promise<void> {
    await this.write(name, fields, this.now());
  }

  /** For tasks; no API call returns it to a person. */
  async open(name: string): Promise<Record<string, string> | undefined> {
    const value = (await this.records.get(COLLECTION, name))?.value;
    if (value === undefined) return undefined;
    for (const key of this.keys) {
      const text = unseal(key, name, value);
      if (text !== undefined) return JSON.parse(text) as Record<string, string>;
    }
    throw new Problem(
      'secrets/unreadable',
      `the secret "${name}" was encrypted with another key, or was changed`,
    );
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

  /** Seals everything again with the first key. */
  async reseal(): Promise<number> {
    const all = await this.list();
    for (const { name, updated_at } of all) await this.write(name, (await this.open(name))!, updated_at);
    return all.length;
  }

  private async write(name: string, fields: Record<string, string>, updated_at: number): Promise<void> {
    const names = Object.keys(fields);
    await this.records.put(COLLECTION, name, {
      fields: names,
      updated_at,
      ...seal(this.keys[0]!, name, JSON.stringify(fields)),
    });
  }
}

function seal(key: Buffer, name: string, text: string): JsonObject {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const [n, tag, bytes] = [nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64'));
  return { nonce: n!, tag: tag!, sealed: bytes! };
}

/** Undefined: it was sealed with another key, or somebody changed what is stored. */
function unseal(key: Buffer, name: string, value: JsonObject): string | undefined {
  const part = (of: string) => Buffer.from(String(value[of]), 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, part('nonce'), { authTagLength: 16 })
      .setAAD(Buffer.from(name))
      .setAuthTag(part('tag'));
    return Buffer.concat([decipher.update(part('sealed')), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
