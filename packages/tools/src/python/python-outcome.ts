/** What the end of a Python task means. */
import { constants } from 'node:os';
import { decodeJson, failure, type Json, type JsonObject, type Outcome, sizeFailure } from '@woof/net';
import type { TaskEnd } from './python-worker.ts';

export interface Ended {
  end: TaskEnd;
  stdout: string;
  stderr: string;
  memoryMb?: number;
  maxResultBytes: number;
  /** The interpreter's own messages, if it ended as a whole. */
  complaint: string;
}

interface Head {
  kind: 'value' | 'output' | 'not_json' | 'too_large' | 'error';
  message?: string;
  size?: number;
  type?: string;
  traceback?: string;
  line?: number | null;
  policy?: boolean;
  transient?: boolean;
}

export function toOutcome(ended: Ended): Outcome {
  const { answer } = ended.end;
  const newline = answer.indexOf('\n');
  const head = newline < 0 ? undefined : parse<Head>(answer.subarray(0, newline));
  if (!head) return death(ended);
  if (head.kind === 'value') return value(answer.subarray(newline + 1));
  if (head.kind === 'output') return { status: 'ok', result: { stdout: ended.stdout, stderr: ended.stderr } };
  if (head.kind === 'not_json') return failure('schema', `python: ${head.message}`);
  if (head.kind === 'too_large') return tooLarge(head.size ?? 0, ended.maxResultBytes);
  return exception(head, ended.memoryMb);
}

function value(bytes: Buffer): Outcome {
  const result = parse<Json>(bytes);
  if (result === undefined) return failure('parse', 'python: the code wrote to its own result channel');
  return { status: 'ok', result };
}

function tooLarge(size: number, limit: number): Outcome {
  return sizeFailure(
    `python: the result is ${size} bytes as JSON, and the limit is ${limit}; return less, or write a file and return its name`,
  );
}

function exception(head: Head, memoryMb: number | undefined): Outcome {
  const type = String(head.type);
  const hint = type === 'MemoryError' && memoryMb !== undefined ? ` (spec.memory_mb is ${memoryMb})` : '';
  const message = `${type}${head.message ? `: ${head.message}` : ''}${hint}`;
  const line = head.line ?? null;
  const outcome = failure(head.policy ? 'policy' : 'exception', message, {
    exception_type: type,
    retryable: !head.policy && head.transient === true,
    details: { traceback: head.traceback ?? '', line },
  });
  return { ...outcome, py: { exception_type: type, line } };
}

/** The task ended without an answer; the wait status tells how. */
function death({ end, memoryMb, complaint, maxResultBytes }: Ended): Outcome {
  if (end.outOfMemory) {
    const message = `python: the task was killed because it used more memory than spec.memory_mb (${memoryMb}); raise it`;
    return died(message, 'out_of_memory', 'MemoryError');
  }
  if (end.answer.length > maxResultBytes) return tooLarge(end.answer.length, maxResultBytes);
  if (end.status === undefined) {
    const why = complaint === '' ? '' : `: ${complaint.split('\n').at(-1)}`;
    return failure('exception', `python: the interpreter ended unexpectedly${why}`, {
      retryable: true,
      code: 'interpreter_ended',
    });
  }
  const signal = end.status & 0x7f;
  if (signal === 0) {
    return died(
      `python: the code ended its process with exit code ${(end.status >> 8) & 0xff} (os._exit)`,
      'exit',
      'SystemExit',
    );
  }
  return killed(nameOf(signal));
}

function killed(signal: string): Outcome {
  const what = signal === 'SIGSEGV' || signal === 'SIGBUS' ? 'crashed (segmentation fault)' : 'was killed';
  const outcome = died(`python: the process ${what} by ${signal}`, signal, signal);
  // Something outside killed it, so a retry may succeed.
  if (signal === 'SIGKILL' && outcome.error) outcome.error.retryable = true;
  return outcome;
}

function died(message: string, code: string, type: string): Outcome {
  const py: JsonObject = { exception_type: type, line: null };
  return { ...failure('exception', message, { code, exception_type: type, retryable: false }), py };
}

function nameOf(signal: number): string {
  return Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] ?? `signal ${signal}`;
}

function parse<T>(bytes: Buffer): T | undefined {
  try {
    return decodeJson(bytes.toString('utf8')) as T;
  } catch {
    return undefined;
  }
}
