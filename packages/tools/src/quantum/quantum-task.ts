/** From a task's fields to the operation to perform. */
import { type Handle, isHandle, isObject, type Json, type JsonObject, plainNumber } from '@woof/net';
import {
  booleanField,
  FieldFault,
  fault,
  numberField,
  objectField,
  textField,
  wordField,
} from '../fields.ts';
import type { ToolCall } from '../tool.ts';

const OPERATIONS = ['submit', 'poll', 'fetch', 'run'] as const;
const MOST_SHOTS = 1_000_000;
const LONGEST_PROGRAM = 1024 * 1024;

/** What submit returns and the other operations receive: everything about a job. */
export interface QuantumJob {
  id: string;
  /** Where the program is stored. */
  program: Handle;
  shots: number;
  seed: number;
  qubits: number;
  /** Milliseconds since 1970. */
  submitted_at: number;
  ready_at: number;
}

export interface QuantumTask {
  operation: (typeof OPERATIONS)[number];
  program: string;
  shots: number;
  seed: number;
  delayMs: number;
  job: QuantumJob | undefined;
  memory: boolean;
  seconds: number | undefined;
}

export function toTask({ input, spec }: ToolCall): QuantumTask {
  const operation =
    wordField(input, 'operation', OPERATIONS) ?? wordField(input, 'action', OPERATIONS) ?? 'submit';
  const isNew = operation === 'submit' || operation === 'run';
  return {
    operation: operation as QuantumTask['operation'],
    program: isNew ? programOf(input) : '',
    shots: whole(input, 'shots', 1, MOST_SHOTS) ?? 1024,
    seed: whole(input, 'seed', 0, 2 ** 32 - 1) ?? 0,
    delayMs: (numberField(input, 'delay') ?? 0) * 1000,
    job: isNew ? undefined : jobOf(input.job),
    memory: booleanField(input, 'memory') ?? false,
    seconds: numberField(input, 'timeout') ?? numberField(spec, 'timeout'),
  };
}

function programOf(input: JsonObject): string {
  const text = textField(input, 'program') ?? textField(input, 'qasm');
  if (!text) throw new FieldFault('"program" is missing: write an OpenQASM 2.0 program');
  if (text.length > LONGEST_PROGRAM)
    throw new FieldFault(`"program" must have at most ${LONGEST_PROGRAM} characters`);
  const values = objectField(input, 'parameters') ?? {};
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const given = Object.hasOwn(values, name) ? values[name] : undefined;
    const value = plainNumber(given);
    if (value === undefined || !Number.isFinite(value)) throw fault(`parameters.${name}`, 'a number', given);
    // A negative number must not merge with a preceding minus sign.
    return `(${value})`;
  });
}

function whole(input: JsonObject, name: string, least: number, most: number): number | undefined {
  const value = numberField(input, name, least);
  if (value === undefined || (Number.isInteger(value) && value <= most)) return value;
  throw fault(name, `a whole number from ${least} to ${most}`, value);
}

function jobOf(value: Json | undefined): QuantumJob {
  const job = isObject(value) && isObject(value.job) ? value.job : value;
  const isJob =
    isObject(job) &&
    typeof job.id === 'string' &&
    isHandle(job.program) &&
    ['shots', 'seed', 'qubits', 'submitted_at', 'ready_at'].every((name) => Number.isFinite(job[name]));
  if (!isJob || (job.shots as number) > MOST_SHOTS) throw fault('job', 'the job that submit returned', value);
  return job as unknown as QuantumJob;
}
