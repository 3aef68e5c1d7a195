/**
 * Moves rows from one place to another, in chunks: one is read while the previous one is written.
 *
 * A retry continues after the last chunk that the target has. A database target records the chunk in the same
 * transaction. A target that is replaced, or is a file, changes as a whole or not at all.
 */
import { realpath } from 'node:fs/promises';
import { failure, type Json, type JsonObject, type Outcome } from '@woof/net';
import { Deadline } from '../deadline.ts';
import { FieldFault, fault, given, numberField, objectField, textMapField, wordField } from '../fields.ts';
import { effectivePolicy, refuseWithoutSandbox } from '../io-policy.ts';
import { abortOutcome, settle } from '../settle.ts';
import type { Tool, ToolCall, ToolContext } from '../tool.ts';
import { csvChunks } from './csv-chunks.ts';
import type { DuckdbSite } from './duckdb-ends.ts';
import { endOf } from './end-fields.ts';
import { kindOfEnd } from './end-kinds.ts';
import type { TransferMode, TransferPlan, TransferSource, TransferTarget } from './transfer-ends.ts';
import { transferSchema } from './transfer-schema.ts';

const MODES = ['append', 'replace', 'upsert'];
const DEFAULT_CHUNK_ROWS = 50_000;

export function createTransferTool(): Tool {
  return {
    schema: transferSchema,
    run: (call, context) => settle('transfer', context.signal, () => perform(call, context)),
  };
}

async function perform(call: ToolCall, context: ToolContext): Promise<Outcome> {
  const seconds = numberField(call.input, 'timeout') ?? numberField(call.spec, 'timeout');
  const deadline = new Deadline(context.signal, seconds);
  const { signal } = deadline;
  try {
    const outcome = await transfer(call, context, toPlan(call, signal));
    if (outcome.status === 'ok' || !signal.aborted) return outcome;
    if (context.signal.aborted) return abortOutcome(context.signal);
    return failure(
      'timeout',
      'transfer: did not finish within its timeout; a retry continues after the last complete chunk',
    );
  } finally {
    deadline.clear();
  }
}

function toPlan({ input, visitKey }: ToolCall, signal: AbortSignal): TransferPlan {
  const mode = (wordField(input, 'mode', MODES) ?? 'append') as TransferMode;
  const key = keyOf(input.key);
  if (mode === 'upsert' && key.length === 0) {
    throw new FieldFault('"key" is missing: upsert needs the columns that identify a row');
  }
  const mapping = mappingOf(input);
  return {
    id: visitKey,
    mode,
    key: mode === 'upsert' ? key : [],
    mapping: mapping.length > 0 ? mapping : undefined,
    chunkRows: Math.floor(numberField(input, 'chunk_size', 1) ?? DEFAULT_CHUNK_ROWS),
    signal,
  };
}

function mappingOf(input: JsonObject): [target: string, source: string][] {
  const target = objectField(input, 'target') ?? {};
  if (given(input, 'mapping') && given(target, 'mapping')) {
    throw new FieldFault('"mapping" and "target.mapping" both set the columns of the target: keep one');
  }
  return Object.entries(textMapField(given(input, 'mapping') ? input : target, 'mapping'));
}

function keyOf(value: Json | undefined): string[] {
  const list = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  if (list.every((each) => typeof each === 'string')) return list;
  throw fault('key', 'a column or a list of columns', value);
}

async function transfer(call: ToolCall, context: ToolContext, plan: TransferPlan): Promise<Outcome> {
  const [from, to] = [endOf(call.input, 'source'), endOf(call.input, 'target')];
  const site = {
    call,
    policy: effectivePolicy(call.spec, context),
    workdir: await realpath(call.workdir),
    context,
  };
  const refusal = await refuse([from, to], site);
  if (refusal) return refusal;
  const source = await kindOfEnd(from).source(from, site, plan);
  const target = await kindOfEnd(to).target(to, site, plan);
  try {
    return await move(source, target, plan);
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

async function refuse(ends: JsonObject[], { policy, context }: DuckdbSite): Promise<Outcome | undefined> {
  if (!ends.some((end) => kindOfEnd(end).isLocal)) return undefined;
  if (!policy.allow_files && ends.some((end) => kindOfEnd(end).usesFiles(end))) {
    return failure(
      'policy',
      'transfer: files are not allowed: set spec.io_policy.allow_files: true, or run with --allow files',
    );
  }
  return refuseWithoutSandbox(context);
}

async function move(source: TransferSource, target: TransferTarget, plan: TransferPlan): Promise<Outcome> {
  /** The end to which an error belongs. */
  let at: TransferSource | TransferTarget = source;
  try {
    const columns = await source.open();
    if (columns.length === 0 && plan.mode !== 'replace') return { status: 'ok', result: resultOf(0, 0, 0) };
    at = target;
    let progress = await target.open(columns);
    const resumed = progress.chunks;
    if (!progress.isDone) {
      at = source;
      let writing: Promise<void> = Promise.resolve();
      for await (const chunk of csvChunks(source.rows(), {
        maxRows: plan.chunkRows,
        skipRows: progress.rows,
      })) {
        at = target;
        await writing;
        progress = { chunks: progress.chunks + 1, rows: progress.rows + chunk.rows, isDone: false };
        writing = target.write(chunk, progress);
        writing.catch(() => {});
        at = source;
      }
      at = target;
      await writing;
      progress = { ...progress, isDone: true };
      await target.finish(progress);
    }
    return { status: 'ok', result: resultOf(progress.rows, progress.chunks, resumed) };
  } catch (error) {
    if (error instanceof FieldFault) throw error;
    return at.failure(error);
  }
}

function resultOf(rows: number, chunks: number, resumed: number): JsonObject {
  const result = { rows_transferred: rows, chunks_processed: chunks };
  return resumed > 0 ? { ...result, resumed_after_chunk: resumed } : result;
}
