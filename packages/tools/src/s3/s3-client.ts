/** Objects of one bucket, for code that needs more than one request. */
import { isObject, type JsonObject, type Outcome, type Reference } from '@woof/net';
import { HttpExchange, type HttpReply } from '../http/http-exchange.ts';
import { networkFailure } from '../http/http-failure.ts';
import type { HttpRequest } from '../http/http-request.ts';
import type { Blobs } from '../tool.ts';
import { type S3Task, toRequest, toTask } from './s3-request.ts';
import { list, refused } from './s3-tool.ts';

/** The store's answer. */
export class S3Refusal extends Error {
  constructor(readonly outcome: Outcome) {
    super(outcome.error?.message);
  }

  get isAbsence(): boolean {
    return this.outcome.error?.code === 'NoSuchKey';
  }
}

/** What is known about an object before it is sent. */
export interface Sum {
  sha256: string;
  size: number;
}

const MOST_OBJECTS = 100_000;

export class S3Client {
  /** Without secrets. */
  readonly place: string;
  private readonly exchange = new HttpExchange();
  private wanted: HttpRequest | undefined;

  /** The fields of the kind `s3` that name the bucket and the credentials. Throws a `FieldFault` if one is invalid. */
  constructor(
    private readonly fields: JsonObject,
    private readonly signal: AbortSignal = new AbortController().signal,
  ) {
    const { endpoint, bucket } = this.task({ action: 'list' });
    this.place = `${endpoint.host}/${bucket}`;
  }

  async put(key: string, { sha256, size }: Sum, bytes: () => AsyncIterable<Uint8Array>): Promise<void> {
    const data: Reference = { store: '', key, checksum: `sha256:${sha256}`, size, schema_hint: null };
    const reply = await this.send(this.task({ action: 'put', key, data }), {
      get: bytes,
    } as unknown as Blobs);
    await reply.body.dump();
  }

  async *get(key: string): AsyncIterable<Uint8Array> {
    const reply = await this.send(this.task({ action: 'get', key }));
    yield* reply.body as AsyncIterable<Uint8Array>;
  }

  /** Sorted by key. */
  async keys(prefix: string): Promise<string[]> {
    const task = this.task({ action: 'list', prefix, limit: MOST_OBJECTS });
    const { result, error } = await list(task, (continuation) => this.ask(task, {} as Blobs, continuation));
    if (error || !isObject(result)) throw new S3Refusal({ status: 'error', error: error! });
    return (result.objects as { key: string }[]).map(({ key }) => key).sort();
  }

  failure(error: unknown): Outcome {
    if (error instanceof S3Refusal) return error.outcome;
    const outcome = networkFailure(this.wanted!, error);
    return { ...outcome, error: { ...outcome.error!, message: `s3 ${outcome.error!.message}` } };
  }

  close(): Promise<void> {
    return this.exchange.close();
  }

  private task(more: JsonObject): S3Task {
    const { credential, auth = credential ?? null, key: _, prefix: __, ...fields } = this.fields;
    return toTask({ input: { ...fields, auth, ...more }, spec: {} });
  }

  private async send(task: S3Task, blobs = {} as Blobs): Promise<HttpReply> {
    const reply = await this.ask(task, blobs);
    if (reply.status < 300) return reply;
    throw new S3Refusal(await refused(task, reply, Date.now()));
  }

  private async ask(task: S3Task, blobs: Blobs, continuation?: string): Promise<HttpReply> {
    this.wanted = await toRequest(task, blobs, Date.now(), continuation);
    return this.exchange.send(this.wanted, { signal: this.signal });
  }
}
