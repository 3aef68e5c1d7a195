/** Whether a block failed, and with which message. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, type Outcome } from '@woof/net';
import { abortOutcome } from '../settle.ts';
import type { Attempt } from './attempt.ts';
import { type CommandResult, isFailure, type RunnerEnd } from './exec-runner.ts';

export interface Failed {
  outcome: Outcome;
}

const TAIL_BYTES = 2048;

export async function blockFailure(
  attempt: Attempt,
  { fault }: RunnerEnd,
  signal: AbortSignal,
): Promise<Failed | undefined> {
  if (signal.aborted) return { outcome: abortOutcome(signal) };
  if (fault) return { outcome: failure(fault.kind, `exec: ${fault.message}`, more(fault)) };
  const failed = attempt.results.filter((result) => result && isFailure(result));
  const [first] = failed;
  if (first === undefined) return undefined;
  const others = failed.length > 1 ? ` (and ${failed.length - 1} more)` : '';
  const complaint = await lastLine(attempt, first);
  const message = `exec: commands[${first.index}] ${titleOf(first)}: ${first.error}${complaint ? `: ${complaint}` : ''}${others}`;
  const kind = first.status === 'timed_out' ? 'timeout' : 'exception';
  return { outcome: failure(kind, message, { retryable: true, code: codeOf(first) }) };
}

function more({ retryable, code }: NonNullable<RunnerEnd['fault']>) {
  return { ...(retryable === undefined ? {} : { retryable }), ...(code === undefined ? {} : { code }) };
}

function titleOf({ name, program }: CommandResult): string {
  return name === undefined ? program : `${name} (${program})`;
}

function codeOf({ exit_code: code, status }: CommandResult): string | number {
  return code ?? (status === 'timed_out' ? 'timed_out' : 'not_run');
}

/** Programs print the cause of a failure last. */
async function lastLine(attempt: Attempt, { stderr_path: path, exit_code }: CommandResult): Promise<string> {
  if (path === null || exit_code === null) return '';
  const file = await open(join(attempt.folder, path), 'r').catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from);
    return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').at(-1)?.slice(0, 500) ?? '';
  } finally {
    await file.close();
  }
}
