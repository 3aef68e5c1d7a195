/**
 * The messages that a driver may send, and their strict validation: lines come from inside the sandbox, where a cell
 * may have written them.
 */
import { decodeJson, isObject, type Json, type JsonObject } from '@woof/net';
import type { CellError, CellOutput } from './kernel.ts';

export type Message = { n: number; token: string } & MessageBody;

export type MessageBody =
  /** All earlier output has been written. The same mark is in stdout and stderr. */
  | { kind: 'mark'; mark: number }
  | { kind: 'output'; output: CellOutput }
  /** The last message of every request. */
  | { kind: 'end'; error?: CellError; transient?: boolean; policy?: boolean; value?: Json; table?: boolean };

/** Undefined if the line is not a message. */
export function toMessage(line: string): Message | undefined {
  const value = parsed(line);
  if (!isObject(value)) return undefined;
  if (typeof value.n !== 'number' || typeof value.token !== 'string') return undefined;
  if (!isBody(value)) return undefined;
  return (value.kind === 'output'
    ? { ...value, output: outputOf(value.output) }
    : value) as unknown as Message;
}

/** A Jupyter kernel adds further fields here, such as its execution count. */
function outputOf(value: Json | undefined): JsonObject {
  const { output_type, data, metadata } = value as JsonObject;
  return { output_type: output_type!, data: data!, metadata: isObject(metadata) ? metadata : {} };
}

function parsed(line: string): unknown {
  try {
    return decodeJson(line);
  } catch (error) {
    return withoutData(line, (error as Error).message);
  }
}

/**
 * JSON with numbers that are too long or nesting that is too deep is a fault of what a cell shows, not of the driver.
 * An output keeps its texts, and a value is treated as not JSON.
 */
function withoutData(line: string, reason: string): unknown {
  const message = plainJson(line);
  if (!isObject(message)) return undefined;
  const { value, ...rest } = message;
  if (rest.kind !== 'output' || !isOutput(rest.output)) return rest;
  const { output_type, data } = rest.output as { output_type: string; data: JsonObject };
  const kept = Object.entries(data).map(([type, content]) => [
    type,
    typeof content === 'string' ? content : `not shown: ${reason}`,
  ]);
  return { ...rest, output: { output_type, data: Object.fromEntries(kept) } };
}

function plainJson(line: string): unknown {
  try {
    return JSON.parse(line);
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
