/**
 * Jobs on our own simulator, with the interface of remote machines: submitted, queried, fetched.
 *
 * A job is a value: what it is to do, and when it is ready. So any worker can answer for it after any crash, and equal
 * seeds give equal counts however often they are fetched. The work is done when it is fetched.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { failure, handleOf, type JsonObject, type Outcome } from '@woof/net';
import { Deadline } from '../deadline.ts';
import { once } from '../once.ts';
import { abortOutcome, settle } from '../settle.ts';
import type { Tool, ToolCall, ToolContext } from '../tool.ts';
import { QasmFault } from './qasm-tokens.ts';
import { quantumSchema } from './quantum-schema.ts';
import { type QuantumJob, type QuantumTask, toTask } from './quantum-task.ts';
import { readCircuit } from './read-circuit.ts';
import { simulateCircuit, TooMuchWork } from './simulate-circuit.ts';

const TURN_MS = 15;
const LONGEST_PROGRAM = 1024 * 1024;

export function createQuantumTool(): Tool {
  return {
    schema: quantumSchema,
    run: (call, context) => settle('quantum', context.signal, () => perform(call, context)),
  };
}

async function perform(call: ToolCall, context: ToolContext): Promise<Outcome> {
  const task = toTask(call);
  const deadline = new Deadline(context.signal, task.seconds);
  try {
    return await OPERATIONS[task.operation](task, call, context, deadline);
  } catch (error) {
    if (context.signal.aborted) return abortOutcome(context.signal);
    if (deadline.passed) return failure('timeout', `quantum: did not finish within ${task.seconds} s`);
    if (error instanceof QasmFault)
      return failure('parse', `quantum: ${error.message}`, { details: { line: error.line } });
    if (error instanceof TooMuchWork) return failure('client_error', `quantum: ${error.message}`);
    throw error;
  } finally {
    deadline.clear();
  }
}

type Perform = (
  task: QuantumTask,
  call: ToolCall,
  context: ToolContext,
  deadline: Deadline,
) => Promise<Outcome>;

const OPERATIONS: Record<QuantumTask['operation'], Perform> = {
  submit: async (task, call, context) => {
    const job = await jobOf(task, call, context);
    return { status: 'ok', result: { job: job as unknown as JsonObject, id: job.id, status: 'queued' } };
  },
  poll: async ({ job }, _call, { now }) => {
    const { id, ready_at } = job!;
    const status = now() < ready_at ? 'queued' : 'done';
    return { status: 'ok', result: { id, status, ready_at } };
  },
  fetch: async ({ job, memory }, _call, context, deadline) => {
    const { id, ready_at } = job!;
    if (context.now() < ready_at)
      return failure('not_found', `quantum: the job ${id} is still queued; poll until its status is done`, {
        retryable: true,
        code: 'not_ready',
      });
    const program = await textOf(context.blobs.get(job!.program));
    return measured(program, { ...job!, memory }, context, deadline);
  },
  run: (task, call, context, deadline) =>
    measured(task.program, { ...task, id: idOf(task, call) }, context, deadline),
};

/** A program that cannot run is refused at submission. */
async function jobOf(task: QuantumTask, call: ToolCall, { blobs, now }: ToolContext): Promise<QuantumJob> {
  const { qubits } = readCircuit(task.program);
  const hint = { content_type: 'text/plain; charset=utf-8' };
  const program = await blobs.put(once(Buffer.from(task.program)), { hint, maxBytes: 2 * LONGEST_PROGRAM });
  const { shots, seed } = task;
  const at = now();
  return {
    id: idOf(task, call),
    program: handleOf(program),
    shots,
    seed,
    qubits,
    submitted_at: at,
    ready_at: at + task.delayMs,
  };
}

/** A job that is submitted twice for one task has one id. */
function idOf({ program, shots, seed }: QuantumTask, { idempotencyKey }: ToolCall): string {
  const text = JSON.stringify([idempotencyKey, program, shots, seed]);
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

async function measured(
  program: string,
  { id, shots, seed, memory }: { id: string; shots: number; seed: number; memory: boolean },
  context: ToolContext,
  deadline: Deadline,
): Promise<Outcome> {
  const circuit = readCircuit(program);
  let turn = performance.now();
  const pause = async () => {
    if (performance.now() - turn < TURN_MS) return;
    await setImmediate();
    turn = performance.now();
    deadline.signal.throwIfAborted();
  };
  const words = await simulateCircuit(circuit, shots, seed, pause);
  const result: JsonObject = { id, status: 'done', shots, seed, counts: countsOf(words) };
  if (memory) {
    const hint = { type: 'list', length: shots, content_type: 'application/json' };
    const bytes = Buffer.from(JSON.stringify(words));
    result.memory = await context.blobs.put(once(bytes), { hint, maxBytes: bytes.length });
  }
  return { status: 'ok', result };
}

function countsOf(words: string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > 2 * LONGEST_PROGRAM) throw new TooMuchWork('the reference in the job is not a program');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
