/**
 * What a driver may say, and the strict check of it: its lines come from inside the sandbox, where a cell may have
 * written them.
 */
import { decodeJson, isObject, type Json, type JsonObject } from '@woof/net';
import type { CellError, CellOutput } from './kernel.ts';

export type Message = { n: number; token: string } & MessageBody;

export type MessageBody =
  /** All output that was made before it has been written; the same mark stands in stdout and stderr. */
  | { kind: 'mark'; mark: number }
  | { kind: 'output'; output: CellOutput }
  /** The last of every request. */
  | { kind: 'end'; error?: CellError; transient?: boolean; policy?: boolean; value?: Json; table?: boolean };

/** Undefined where it is not a message, whatever it is. */
export function toMessage(line: string): Message | undefined {
  const value = parsed(line);
  if (!isObject(value)) return undefined;
  if (typeof value.n !== 'number' || typeof value.token !== 'string') return undefined;
  if (!isBody(value)) return undefined;
  return (value.kind === 'output'
    ? { ...value, output: outputOf(value.output) }
    : value) as unknown as Message;
}

/** A kernel of Jupyter says more in the same place, such as how often it ran. */
function outputOf(value: Json | undefined): JsonObject {
  const { output_type, data, metadata } = value as JsonObject;
  return { output_type: output_type!, data: data!, metadata: isObject(metadata) ? metadata : {} };
}

function parsed(line: string): unknown {
  try {
    return decodeJson(line);
  } catch {
    return undefined;
  }
}

function isBody(value: JsonObject): boolean {
  if (value.kind === 'mark') return Number.isSafeInteger(value.mark);
  if (value.kind === 'output') return isOutput(value.output);
  if (value.kind !== 'end') return false;
  return value.error === undefined || isError(value.error);
}

function isOutput(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value.output_type !== 'display_data' && value.output_type !== 'execute_result') return false;
  return isObject(value.data);
}

function isError(value: unknown): boolean {
  if (!isObject(value) || value.output_type !== 'error') return false;
  const texts = [
    value.ename,
    value.evalue,
    ...(Array.isArray(value.traceback) ? value.traceback : [undefined]),
  ];
  return texts.every((text) => typeof text === 'string');
}
