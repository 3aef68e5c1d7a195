/** Results as objects in a bucket. */
import type { JsonObject, Outcome } from '@woof/net';
import { fault, textField } from '../fields.ts';
import { S3Client, S3Refusal } from '../s3/s3-client.ts';
import { Absent, type FarStore } from './far-store.ts';

/** If the bucket is gone, so is its content. */
const ABSENCES = new Set(['NoSuchKey', 'NoSuchBucket']);

export class S3FarStore implements FarStore {
  readonly name: string;
  private readonly client: S3Client;
  private readonly prefix: string;

  constructor(fields: JsonObject) {
    this.client = new S3Client(fields);
    this.prefix = (textField(fields, 'prefix') ?? '').replace(/\/$/, '');
    if (/(^|\/)\.\.?(\/|$)|\0/.test(this.prefix))
      throw fault('prefix', 'a path without "." or ".." between slashes', this.prefix);
    this.name = `s3:${[this.client.place, this.prefix].filter(Boolean).join('/')}`;
  }

  write(key: string, size: number, bytes: () => AsyncIterable<Uint8Array>): Promise<void> {
    return this.client.put(this.keyOf(key), { sha256: key, size }, bytes);
  }

  async *read(key: string): AsyncIterable<Uint8Array> {
    try {
      yield* this.client.get(this.keyOf(key));
    } catch (error) {
      if (error instanceof S3Refusal && ABSENCES.has(String(error.outcome.error?.code)))
        throw new Absent(error.message);
      throw error;
    }
  }

  failure(error: unknown): Outcome {
    return this.client.failure(error);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private keyOf(key: string): string {
    return this.prefix === '' ? key : `${this.prefix}/${key}`;
  }
}
