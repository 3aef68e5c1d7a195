/** Both ends of a transfer over HTTP: pages of JSON rows are read, chunks of JSON rows are sent. */
import {
  decodeJson,
  encodeJson,
  Float,
  failure,
  isObject,
  type Json,
  type JsonObject,
  makeInt,
  type Outcome,
  plainNumber,
  sizeFailure,
} from '@woof/net';
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
  private pages = 0;
  private readonly seen = new Set<string>();
  private next: string | undefined;
  private columns: Column[] = [];

  /** The first page with rows determines the columns and their types. */
  async open(): Promise<Column[]> {
    await this.turn(undefined);
    while (this.page.length === 0 && this.next !== undefined) await this.turn(this.next);
    if (this.page.length === 0) return [];
    const names =
      this.plan.mapping ??
      [...new Set(this.page.flatMap((row) => Object.keys(row)))].map((name) => [name, name]);
    if (names.length === 0) throw new Refused(failure('parse', 'http: the rows have no columns'));
    this.columns = names.map(([name = '', source = '']) => ({
      name,
      type: typeOf(this.page.map((row) => row[source])),
    }));
    return this.columns;
  }

  async *rows(): AsyncGenerator<Uint8Array> {
    const sources = this.plan.mapping?.map(([, source]) => source) ?? this.columns.map(({ name }) => name);
    const known = new Set(sources);
    for (;;) {
      if (!this.plan.mapping) this.refuseOthers(known);
      yield Buffer.from(this.page.map((row) => csvLine(this.fieldsOf(row, sources))).join(''));
      if (this.next === undefined) return;
      await this.turn(this.next);
    }
  }

  private refuseOthers(known: ReadonlySet<string>): void {
    for (const row of this.page) {
      const other = Object.keys(row).find((name) => !known.has(name) && row[name] !== null);
      if (other === undefined) continue;
      const message = `http: page ${this.pages} has a column ${JSON.stringify(other)} that the first rows do not have: name all columns in "mapping"`;
      throw new Refused(failure('schema', message));
    }
  }

  /** In a JSON column, text is encoded as JSON too. */
  private fieldsOf(row: JsonObject, sources: readonly string[]): (Json | undefined)[] {
    return sources.map((name, index) => {
      const value = row[name];
      const type = this.columns[index]?.type;
      // A database does not accept 1.0 as an integer.
      if (value instanceof Float && type === 'bigint') return makeInt(BigInt(value.value));
      return typeof value === 'string' && type === 'json' ? encodeJson(value) : value;
    });
  }

  private async turn(url: string | undefined): Promise<void> {
    if (this.pages === MAX_PAGES)
      throw new Refused(failure('client_error', `http: there are more than ${MAX_PAGES} pages`));
    const { rows_path: _, next_path: __, kind: ___, ...input } = this.fields;
    const { params: ____, ...same } = input;
    const reply = await this.send(
      url === undefined ? input : { ...same, url },
      `${this.call.idempotencyKey}/${this.pages + 1}`,
    );
    this.pages += 1;
    this.seen.add(reply.url.href);
    const body = await jsonOf(reply);
    const found = body === null ? null : pathIn(body, textField(this.fields, 'rows_path'));
    const rows = found === null ? [] : found;
    if (!Array.isArray(rows) || !rows.every((row) => isObject(row))) {
      throw new Refused(failure('parse', 'http: "source.rows_path" must lead to a list of maps in the body'));
    }
    this.page = rows as JsonObject[];
    const named = textField(this.fields, 'next_path');
    const next = named === undefined ? nextPage(reply.headers, reply.url) : pathIn(body, named);
    this.next = typeof next === 'string' && next !== '' ? this.sameOrigin(next, reply.url) : undefined;
    if (this.next !== undefined && this.seen.has(this.next)) {
      const message = `http: the page after page ${this.pages} was already read, so the pages never end`;
      throw new Refused(failure('client_error', message));
    }
  }

  /** Credentials are sent only to the origin that they were given for. */
  private sameOrigin(next: string, from: URL): string {
    const url = URL.canParse(next, from.href) ? new URL(next, from) : undefined;
    if (url?.origin === from.origin) return url.href;
    throw new Refused(
      failure('client_error', 'http: the next page is at another origin, so Woof does not follow it'),
    );
  }
}

export class HttpTarget extends HttpEnd implements TransferTarget {
  private columns: Column[] = [];

  async open(columns: Column[]): Promise<Progress> {
    if (this.plan.mode !== 'append') throw new FieldFault('"mode" must be append if the target is http');
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
      throw new Refused(sizeFailure(`http: a page is larger than ${MAX_PAGE_BYTES} bytes`));
    parts.push(part as Uint8Array);
  }
  if (reply.status === 204) return null;
  try {
    return decodeJson(Buffer.concat(parts).toString('utf8'));
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
  if (all((value) => isInt(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value))) return 'bigint';
  if (all(isInt)) return 'numeric';
  if (all((value) => plainNumber(value) !== undefined)) return 'double';
  if (all((value) => typeof value === 'boolean')) return 'boolean';
  return present.some((value) => Array.isArray(value) || isObject(value)) ? 'json' : 'text';
}

const isInt = (value: Json | undefined): value is number | bigint =>
  typeof value === 'bigint' || Number.isSafeInteger(value);
