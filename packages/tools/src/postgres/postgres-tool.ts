/**
 * The statements of one task, in order, on one connection.
 *
 * Several statements are one transaction, as in Postgres itself, unless they manage one themselves. The result is that
 * of the last. Whatever a task set in its session is reset before the next task gets it: any statement may call a
 * function that sets something, even through a view or a trigger.
 */
import { failure, type Json, type JsonObject, type Outcome, sizeFailure } from '@woof/net';
import { Deadline } from '../deadline.ts';
import { FieldFault } from '../fields.ts';
import { ResultTooLarge, RowSink } from '../row-sink.ts';
import { readScript } from '../script/read-script.ts';
import { abortOutcome, settle } from '../settle.ts';
import { SQL_FIELDS, sqlText } from '../sql-text.ts';
import type { Tool, ToolCall, ToolContext } from '../tool.ts';
import { placeOf } from './postgres-address.ts';
import { copySource, copyTarget } from './postgres-copy.ts';
import { copyColumns } from './postgres-copy-rows.ts';
import { postgresFailure, type Whereabouts } from './postgres-failure.ts';
import { PostgresPool } from './postgres-pool.ts';
import { postgresSchema } from './postgres-schema.ts';
import type { PostgresSession } from './postgres-session.ts';
import { type PostgresTask, toTask } from './postgres-task.ts';
import { bare } from './split-sql.ts';

const BATCH_ROWS = 1000;

export function createPostgresTool(): Tool {
  const pool = new PostgresPool((session) => session.command('DISCARD ALL'));
  return {
    schema: postgresSchema,
    run: (call, context) => settle('postgres', context.signal, () => perform(call, context, pool)),
    close: () => pool.close(),
  };
}

async function perform(call: ToolCall, context: ToolContext, pool: PostgresPool): Promise<Outcome> {
  const script = await readScript(call, context, SQL_FIELDS);
  const sql = script?.text ?? sqlText(call.input);
  const task = toTask(call, sql, await call.stepArgs?.((name) => sql.includes(name)));
  const deadline = new Deadline(context.signal, task.seconds);
  const { signal } = deadline;
  const run = new Run(task, context);
  try {
    const result = await pool.use(task.address, signal, (session) => run.all(session));
    return { status: 'ok', result, pg: { command: run.command } };
  } catch (error) {
    if (context.signal.aborted) return abortOutcome(context.signal);
    if (deadline.passed) return late(task);
    if (error instanceof FieldFault) throw error;
    if (error instanceof ResultTooLarge) return sizeFailure(`postgres: ${error.message}`);
    return postgresFailure(error, task.address, run.at, call.executionId);
  } finally {
    deadline.clear();
  }
}

function late({ address, seconds }: PostgresTask): Outcome {
  return failure(
    'db_timeout',
    `postgres ${placeOf(address)}: cancelled because it did not finish within ${seconds} s`,
  );
}

class Run {
  at: Whereabouts | undefined;
  command = '';

  constructor(
    private readonly task: PostgresTask,
    private readonly context: ToolContext,
  ) {}

  async all(session: PostgresSession): Promise<JsonObject> {
    const { statements, together } = this.task;
    let result: JsonObject = {};
    if (together) await session.command('BEGIN');
    for (const [index, { text, values, line }] of statements.entries()) {
      this.at = { statement: text, line, number: index + 1, of: statements.length };
      result = await this.one(session, text, values, index === statements.length - 1);
    }
    if (together) await session.command('COMMIT');
    return { ...result, statement_count: statements.length };
  }

  private one(session: PostgresSession, text: string, values: Json[], isLast: boolean): Promise<JsonObject> {
    const plain = bare(text);
    this.command = /^[a-z]*/i.exec(plain)?.[0].toUpperCase() ?? '';
    if (/^copy\b.*\bfrom\s+stdin\b/is.test(plain)) return this.copyIn(session, text);
    if (/^copy\b.*\bto\s+stdout\b/is.test(plain)) return this.copyOut(session, text);
    return this.query(session, text, values, isLast);
  }

  private async query(
    session: PostgresSession,
    text: string,
    values: Json[],
    isLast: boolean,
  ): Promise<JsonObject> {
    const sink = new RowSink(this.context.blobs, this.task.maxBytes);
    let columns: string[] = [];
    let touched = 0;
    try {
      for await (const batch of session.query(text, values, BATCH_ROWS)) {
        columns = distinct(batch.columns);
        touched = batch.count;
        if (isLast && columns.length > 0) await sink.take(batch.rows.map((row) => asObject(columns, row)));
      }
      if (columns.length === 0) return { rows: [], row_count: touched, columns };
      return { rows: await sink.finish(columns), row_count: sink.count, columns };
    } catch (error) {
      sink.discard();
      throw error;
    }
  }

  private async copyIn(session: PostgresSession, text: string): Promise<JsonObject> {
    const columns = () => copyColumns(session, text);
    const source = await copySource(this.task.data, this.context.blobs, columns);
    const count = await session.copyIn(text, source);
    return { rows: [], row_count: count, columns: [] };
  }

  private async copyOut(session: PostgresSession, text: string): Promise<JsonObject> {
    let data: Json = '';
    const count = await session.copyOut(text, async (source) => {
      data = await copyTarget(source, this.context.blobs, this.task.maxBytes);
    });
    return { rows: [], row_count: count, columns: [], data };
  }
}

/** `a, a` → `a, a_2`, or the next number if that name is taken too. */
function distinct(names: string[]): string[] {
  const taken = new Set(names);
  if (taken.size === names.length) return names;
  const given = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let number = 2; given.has(own) || (own !== name && taken.has(own)); number++)
      own = `${name}_${number}`;
    given.add(own);
    return own;
  });
}

function asObject(columns: string[], row: Json[]): JsonObject {
  return Object.fromEntries(columns.map((name, index) => [name, row[index] as Json]));
}
