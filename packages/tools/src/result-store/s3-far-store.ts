/** Results as objects of a bucket. */
import type { JsonObject, Outcome, Reference } from '@woof/net';
import { textField } from '../fields.ts';
import { HttpExchange, type HttpReply } from '../http/http-exchange.ts';
import { networkFailure } from '../http/http-failure.ts';
import type { HttpRequest } from '../http/http-request.ts';
import { type S3Task, toRequest, toTask } from '../s3/s3-request.ts';
import { refused } from '../s3/s3-tool.ts';
import type { Blobs } from '../tool.ts';
import { Absent, type FarStore } from './far-store.ts';

class Refused extends Error {
  constructor(readonly outcome: Outcome) {
    super(outcome.error?.message);
  }
}

export class S3FarStore implements FarStore {
  readonly name: string;
  private readonly exchange = new HttpExchange();
  private readonly prefix: string;
  private wanted: HttpRequest | undefined;

  constructor(private readonly fields: JsonObject) {
    this.prefix = (textField(fields, 'prefix') ?? '').replace(/\/$/, '');
    const { endpoint, bucket } = this.task({ action: 'head', key: 'k' });
    this.name = `s3:${endpoint.host}/${[bucket, this.prefix].filter(Boolean).join('/')}`;
  }

  async write(key: string, size: number, bytes: () => AsyncIterable<Uint8Array>): Promise<void> {
    const data: Reference = { store: '', key, checksum: `sha256:${key}`, size, schema_hint: null };
    const task = this.task({ action: 'put', key, data });
    const reply = await this.send(task, { get: bytes } as unknown as Blobs);
    if (reply.status >= 300) throw new Refused(await refused(task, reply, Date.now()));
    await reply.body.dump();
  }

  async *read(key: string): AsyncIterable<Uint8Array> {
    const task = this.task({ action: 'get', key });
    const reply = await this.send(task);
    if (reply.status >= 300) {
      const outcome = await refused(task, reply, Date.now());
      throw outcome.error?.code === 'NoSuchKey' ? new Absent(outcome.error.message) : new Refused(outcome);
    }
    yield* reply.body as AsyncIterable<Uint8Array>;
  }

  failure(error: unknown): Outcome {
    if (error instanceof Refused) return error.outcome;
    const outcome = networkFailure(this.wanted!, error);
    return { ...outcome, error: { ...outcome.error!, message: `s3 ${outcome.error!.message}` } };
  }

  close(): Promise<void> {
    return this.exchange.close();
  }

  private task(more: JsonObject & { key: string }): S3Task {
    const key = this.prefix === '' ? more.key : `${this.prefix}/${more.key}`;
    const { credential, auth = credential ?? null, ...fields } = this.fields;
    const input = { ...fields, auth, ...more, key };
    return toTask({ input, spec: {} });
  }

  private send(task: S3Task, blobs = {} as Blobs): Promise<HttpReply> {
    this.wanted = toRequest(task, blobs, Date.now());
    return this.exchange.send(this.wanted, new AbortController().signal);
  }
}
