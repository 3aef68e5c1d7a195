/**
 * SQL on DuckDB. Each task runs in a separate process in the sandbox: it sees the files of the document's folder if the
 * policy allows files, and none elsewhere. Tasks on one file run one after another on this worker.
 */
import { failure, type Outcome, sizeFailure } from '@woof/net';
import { denied, refuseWithoutSandbox } from '../io-policy.ts';
import type { ToolOptions } from '../registry.ts';
import { INLINE_MAX_BYTES, ResultTooLarge } from '../row-sink.ts';
import { settle } from '../settle.ts';
import { TaskWatch } from '../task-watch.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { defaultMaxRunning, Turnstile } from '../turnstile.ts';
import { duckdbFailure } from './duckdb-failure.ts';
import { DuckdbProcess } from './duckdb-process.ts';
import { DuckdbRows } from './duckdb-rows.ts';
import { duckdbSchema } from './duckdb-schema.ts';
import { boundary, settingsOf } from './duckdb-settings.ts';
import { DuckdbTables } from './duckdb-tables.ts';
import { type DuckdbTask, toTask } from './duckdb-task.ts';

const OWN_TRANSACTION = /(^|;)\s*(begin|start\s+transaction|checkpoint|vacuum|attach|detach)\b/i;

export interface DuckdbOptions extends ToolOptions {
  /** Larger results are returned by reference. */
  inlineMaxBytes?: number;
}

export function createDuckdbTool(options: DuckdbOptions = {}): Tool {
  const turnstile = new Turnstile(options.maxRunning ?? defaultMaxRunning());
  const files = new FileQueues();
  const { inlineMaxBytes = INLINE_MAX_BYTES } = options;
  return {
    schema: duckdbSchema,
    run: (call, context) =>
      settle('duckdb', context.signal, async () => {
        const task = await toTask(call, context);
        const refusal = refuse(task) ?? (await refuseWithoutSandbox(context));
        if (refusal) return refusal;
        return files.pass(task.database, context.signal, () =>
          turnstile.pass(context.signal, () => perform(task, context, inlineMaxBytes)),
        );
      }),
  };
}

function refuse({ database, policy }: DuckdbTask): Outcome | undefined {
  if (database === ':memory:' || policy.allow_files) return undefined;
  return failure('policy', `duckdb: a database file ${denied('files')}`);
}

async function perform(task: DuckdbTask, context: ToolContext, inlineMaxBytes: number): Promise<Outcome> {
  const tables = await DuckdbTables.create(context.blobs, { ...task, isolate: context.sandbox });
  try {
    const { views, brought } = await tables.views(task.tables);
    const params = await tables.parameters(task.params);
    const process = new DuckdbProcess(
      {
        database: task.database,
        sql: task.sql,
        params,
        before: [...boundary(task, tables.folder), ...views],
        tables: brought,
        inlineMaxBytes,
        together: !OWN_TRANSACTION.test(task.sql),
        settings: settingsOf(task, tables.folder, context.sandbox),
      },
      {
        policy: task.policy,
        workdir: task.workdir,
        hidden: context.hidden ?? [],
        isolate: context.sandbox,
        readOnly: [tables.folder],
        memoryMb: task.memoryMb,
      },
    );
    return await converse(process, task, context);
  } finally {
    await tables.remove();
  }
}

async function converse(process: DuckdbProcess, task: DuckdbTask, context: ToolContext): Promise<Outcome> {
  const watch = new TaskWatch(context.signal, task.seconds, process.kill);
  const rows = new DuckdbRows(process, context.blobs, task.maxBytes);
  process.stdin.end();
  let outcome: Outcome | undefined;
  let stopped: Outcome | undefined;
  try {
    for await (const answer of process.answers) {
      if ('error' in answer) outcome = failed(answer.error);
      else if ('done' in answer) outcome = { status: 'ok', result: await rows.finish(answer.done) };
      else rows.take(answer);
    }
    await rows.settled();
  } catch (error) {
    if (!(error instanceof ResultTooLarge)) throw error;
    outcome = sizeFailure(`duckdb: ${error.message}`);
  } finally {
    process.kill();
    rows.discard();
    await process.exited;
    stopped = watch.end('duckdb');
  }
  const { outOfMemory } = await process.exited;
  return stopped ?? outcome ?? died(process, outOfMemory, task);
}

function failed({
  kind,
  message,
  at,
  of,
}: {
  kind: string;
  message: string;
  at: number;
  of: number;
}): Outcome {
  return kind === 'schema' ? failure('schema', `duckdb: ${message}`) : duckdbFailure(message, at, of);
}

function died({ complaint }: DuckdbProcess, outOfMemory: boolean, { memoryMb }: DuckdbTask): Outcome {
  if (outOfMemory) {
    const message = `duckdb: killed because it used more memory than spec.memory_mb (${memoryMb}); raise it`;
    return failure('exception', message, { code: 'out_of_memory' });
  }
  const why =
    complaint
      .trim()
      .split('\n')
      .find((line) => /error/i.test(line)) ?? complaint.trim().slice(-300);
  return failure('exception', `duckdb: the process ended without a result${why ? `: ${why}` : ''}`);
}

/** DuckDB lets one process at a time write to a file. */
class FileQueues {
  readonly #queues = new Map<string, { queue: Turnstile; users: number }>();

  async pass<T>(path: string, signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    if (path === ':memory:') return body();
    const entry = this.#queues.get(path) ?? { queue: new Turnstile(1), users: 0 };
    this.#queues.set(path, entry);
    entry.users += 1;
    try {
      return await entry.queue.pass(signal, body);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) this.#queues.delete(path);
    }
  }
}
