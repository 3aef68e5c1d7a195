/** One DuckDB in a sandboxed process, for one task: what the document's SQL can reach is what the policy allows. */
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
  /** Statements of ours that come first. */
  before: string[];
  /** Files of Arrow that become tables after that. */
  tables?: BroughtTable[];
  /** More than that of rows goes as batches to standard output. */
  inlineMaxBytes?: number;
  /** Several statements happen all or not at all. */
  together: boolean;
  settings: Record<string, string>;
  /** A query whose rows go to standard output, as CSV. */
  unload?: string;
  /** Chunks come by standard input, each into `file` and then with statements that read it. */
  load?: { file: string; progress?: string };
}

/** The statements hold no word of the file but names, quoted. */
export interface BroughtTable {
  create: string;
  table: string;
  fields: ArrowField[];
  /** A line of JSON each: rows, nodes, buffers, and where the body is. */
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
  /** Files and folders that it may read beside. */
  readOnly: string[];
  memoryMb?: number;
}

/** The library beside what is only its interpreter: DuckDB limits itself, and spills to disk, below the hard limit. */
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
      // Its library prints zoned times by the clock of the machine, which it sees where there is no sandbox.
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

/** What nobody reads yet when the process ends would be thrown away. */
function kept(source: Readable): Readable {
  return source.pipe(new PassThrough());
}

async function* answersOf(source: Readable): AsyncGenerator<DuckdbAnswer> {
  for await (const line of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
    yield decodeJson<DuckdbAnswer>(line);
  }
}

/** An installed Woof comes without it: it is larger than all the rest. */
function findLibrary(): string {
  try {
    return createRequire(import.meta.url).resolve('@duckdb/node-api');
  } catch {
    throw new Error('the package @duckdb/node-api is not installed; woof doctor explains how to install it');
  }
}
