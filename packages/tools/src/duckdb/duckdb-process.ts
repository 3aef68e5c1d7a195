/** One DuckDB in a sandboxed process, for one task: the document's SQL can reach only what the policy allows. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { ArrowField } from '@woof/arrow';
import { decodeJson, type Json } from '@woof/net';
import { type SandboxExit, spawnSandboxed } from '@woof/sandbox';
import type { IoPolicy } from '../tool.ts';
import { DUCKDB_DRIVER } from './duckdb-driver.ts';
import { boundParameters } from './duckdb-parameters.ts';

export interface DuckdbRequest {
  /** A file, or `:memory:`. */
  database: string;
  sql: string;
  params: Json[] | Record<string, Json> | null;
  /** Our own statements, which run first. */
  before: string[];
  /** Arrow files that become tables after that. */
  tables?: BroughtTable[];
  /** If there are more bytes of rows, they go to standard output as batches. */
  inlineMaxBytes?: number;
  /** Runs several statements in one transaction. */
  together: boolean;
  settings: Record<string, string>;
  /** A query whose rows go to standard output as CSV. */
  unload?: string;
  /** Chunks arrive on standard input. Each is written to `file`, then its statements read it. */
  load?: { file: string; progress?: string };
}

/** From the file, the statements contain only quoted names. */
export interface BroughtTable {
  create: string;
  table: string;
  fields: ArrowField[];
  /** One line of JSON per batch: rows, nodes, buffers, and the position of the body. */
  batches: string;
  file: string;
  view: string;
}

export type DuckdbAnswer =
  | { columns: string[] }
  | { table: ArrowField[] }
  /** `json`: the columns whose values are JSON text. */
  | { rows: Json[][]; json?: number[] }
  | { described: { name: string; type: string }[] }
  | { ready: Json[] }
  | { loaded: true }
  | { done: { count: number; statements: number } }
  | { error: { kind: string; message: string; at: number; of: number } };

export interface DuckdbPlace {
  policy: IoPolicy;
  workdir: string;
  hidden: string[];
  isolate: boolean;
  /** Additional files and folders that it may read. */
  readOnly: string[];
  memoryMb?: number;
}

/** Added for the interpreter, so that DuckDB limits itself, and spills to disk, below the hard limit. */
const OWN_MB = 256;

export class DuckdbProcess {
  readonly answers: AsyncIterable<DuckdbAnswer>;
  readonly exited: Promise<SandboxExit>;
  readonly kill: () => void;
  readonly stdin: Writable;
  readonly stdout: Readable;
  complaint = '';

  constructor(request: DuckdbRequest, place: DuckdbPlace) {
    const library = findLibrary();
    const packages = dirname(dirname(dirname(dirname(library))));
    const { child, exited, kill } = spawnSandboxed({
      argv: [process.execPath, '--max-old-space-size=512', '-e', DUCKDB_DRIVER],
      // The library prints zoned times in the machine's time zone, which it sees without a sandbox.
      env: { HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8', TZ: 'UTC' },
      policy: place.policy,
      workdir: place.workdir,
      hidden: place.hidden,
      isolate: place.isolate,
      readOnly: [join(packages, '@duckdb'), join(packages, 'detect-libc'), ...place.readOnly],
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      ...(place.memoryMb === undefined ? {} : { memoryMb: place.memoryMb + OWN_MB }),
    });
    this.exited = exited;
    this.kill = kill;
    this.stdin = child.stdin!;
    this.stdout = kept(child.stdout!);
    this.stdin.on('error', () => undefined);
    child.stderr!.on('data', (chunk: Buffer) => {
      this.complaint = (this.complaint + chunk.toString()).slice(-2000);
    });
    const ask = child.stdio[3] as Writable;
    ask.on('error', () => undefined);
    ask.end(JSON.stringify({ library, ...request, params: boundParameters(request.params) }));
    this.answers = answersOf(kept(child.stdio[4] as Readable));
  }
}

/** Without this, data that is unread when the process ends would be lost. */
function kept(source: Readable): Readable {
  return source.pipe(new PassThrough());
}

async function* answersOf(source: Readable): AsyncGenerator<DuckdbAnswer> {
  for await (const line of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
    yield decodeJson<DuckdbAnswer>(line);
  }
}

/** An installed Woof does not include it: it is larger than everything else. */
function findLibrary(): string {
  try {
    return createRequire(import.meta.url).resolve('@duckdb/node-api');
  } catch {
    throw new Error('the package @duckdb/node-api is not installed; woof doctor explains how to install it');
  }
}
