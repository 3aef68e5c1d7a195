/** Both ends of a transfer over HTTP: pages of JSON rows come in, chunks of JSON rows go out. */
import { failure, isObject, type Json, type JsonObject, type Outcome } from '@woof/net';
import { FieldFault, textField } from '../fields.ts';
import { HttpExchange, type HttpReply } from '../http/http-exchange.ts';
import { networkFailure, statusFailure } from '../http/http-failure.ts';
import { type HttpRequest, toRequest } from '../http/http-request.ts';
import { nextPage } from '../http/next-page.ts';
import type { ToolCall } from '../tool.ts';
import type { Column, ColumnType } from './column-types.ts';
import type { Chunk } from './csv-chunks.ts';
import { csvLine, csvRows } from './csv-text.ts';
import type { Progress, TransferPlan, TransferSource, TransferTarget } from './transfer-ends.ts';

const MAX_PAGE_BYTES = 64 * 1024 * 1024;
const MAX_PAGES = 100_000;

class Refused extends Error {
  constructor(readonly outcome: Outcome) {
    super(outcome.error?.message);
  }
}

abstract class HttpEnd {
  private readonly exchange = new HttpExchange();
  private wanted: HttpRequest | undefined;

  constructor(
    protected readonly call: ToolCall,
    protected readonly fields: JsonObject,
    protected readonly plan: TransferPlan,
  ) {}

  failure(error: unknown): Outcome {
    if (error instanceof Refused) return error.outcome;
    if (!this.wanted) return failure('unknown', `http: ${(error as Error).message}`);
    return networkFailure(this.wanted, error);
  }

  close(): Promise<void> {
    return this.exchange.close();
  }

  protected async send(input: JsonObject, idempotencyKey: string): Promise<HttpReply> {
    this.wanted = toRequest({ ...this.call, input, idempotencyKey });
    const reply = await this.exchange.send(this.wanted, { signal: this.plan.signal });
    if (reply.status >= 200 && reply.status < 300) return reply;
    await reply.body.dump();
    throw new Refused(statusFailure(this.wanted, reply, Date.now()));
  }
}

export class HttpSource extends HttpEnd implements TransferSource {
  private page: JsonObject[] = [];
  private next: string | undefined;
  private columns: Column[] = [];

  async open(): Promise<Column[]> {
    await this.turn(undefined);
    const names =
      this.plan.mapping ??
      [...new Set(this.page.flatMap((row) => Object.keys(row)))].map((name) => [name, name]);
    if (names.length === 0)
      throw new Refused(failure('parse', 'http: the first page has no rows to tell the columns from'));
    this.columns = names.map(([name = '', source = '']) => ({
      name,
      type: typeOf(this.page.map((row) => row[source])),
    }));
    return this.columns;
  }

  async *rows(): AsyncGenerator<Uint8Array> {
    const sources = this.plan.mapping?.map(([, source]) => source) ?? this.columns.map(({ name }) => name);
    for (let pages = 1; ; pages++) {
      yield Buffer.from(this.page.map((row) => csvLine(sources.map((name) => row[name]))).join(''));
      if (this.next === undefined) return;
      if (pages === MAX_PAGES)
        throw new Refused(failure('client_error', `http: more than ${MAX_PAGES} pages`));
      await this.turn(this.next);
    }
  }

  private async turn(url: string | undefined): Promise<void> {
    const { rows_path: _, next_path: __, kind: ___, ...input } = this.fields;
    const { params: ____, ...same } = input;
    const reply = await this.send(url === undefined ? input : { ...same, url }, this.plan.id);
    const body = await jsonOf(reply);
    const rows = pathIn(body, textField(this.fields, 'rows_path'));
    if (!Array.isArray(rows) || !rows.every((row) => isObject(row))) {
      throw new Refused(failure('parse', 'http: "source.rows_path" must lead to a list of maps in the body'));
    }
    this.page = rows as JsonObject[];
    const named = textField(this.fields, 'next_path');
    const next = named === undefined ? nextPage(reply.headers, reply.url) : pathIn(body, named);
    this.next = typeof next === 'string' && next !== '' ? this.sameOrigin(next, reply.url) : undefined;
  }

  /** Credentials go to the place that they were given for. */
  private sameOrigin(next: string, from: URL): string {
    const url = URL.canParse(next, from.href) ? new URL(next, from) : undefined;
    if (url?.origin === from.origin) return url.href;
    throw new Refused(
      failure('client_error', 'http: the next page is at another origin, and is not followed'),
    );
  }
}

export class HttpTarget extends HttpEnd implements TransferTarget {
  private columns: Column[] = [];

  async open(columns: Column[]): Promise<Progress> {
    if (this.plan.mode !== 'append') throw new FieldFault('"mode" must be append where the target is http');
    this.columns = columns;
    return { chunks: 0, rows: 0, isDone: false };
  }

  /** A chunk that is sent again has the same key. */
  async write({ bytes }: Chunk, { chunks }: Progress): Promise<void> {
    const types = this.columns.map(({ type }) => type);
    const rows = csvRows(bytes.toString('utf8'), types).map((row) =>
      Object.fromEntries(this.columns.map(({ name }, index) => [name, row[index] as Json])),
    );
    const { kind: _, ...input } = this.fields;
    const reply = await this.send({ method: 'POST', ...input, json: rows }, `${this.plan.id}/${chunks}`);
    await reply.body.dump();
  }

  async finish(): Promise<void> {}
}

async function jsonOf(reply: HttpReply): Promise<Json> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of reply.body) {
    size += (part as Uint8Array).length;
    if (size > MAX_PAGE_BYTES)
      throw new Refused(failure('storage', `http: a page has more than ${MAX_PAGE_BYTES} bytes`));
    parts.push(part as Uint8Array);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as Json;
  } catch (error) {
    throw new Refused(failure('parse', `http: the page is not JSON: ${(error as Error).message}`));
  }
}

function pathIn(value: Json, path: string | undefined): Json | undefined {
  let at: Json | undefined = value;
  for (const name of path?.split('.') ?? [])
    at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at;
}

function typeOf(values: (Json | undefined)[]): ColumnType {
  const present = values.filter((value) => value !== null && value !== undefined);
  const all = (test: (value: Json | undefined) => boolean) => present.length > 0 && present.every(test);
  if (all((value) => Number.isSafeInteger(value))) return 'bigint';
  if (all((value) => typeof value === 'number')) return 'double';
  if (all((value) => typeof value === 'boolean')) return 'boolean';
  return present.some((value) => typeof value === 'object') ? 'json' : 'text';
}
