/** From a task's fields to the operation to perform. */
import type { Json, JsonObject } from '@woof/net';
import {
  booleanField,
  FieldFault,
  fault,
  numberField,
  objectField,
  textField,
  textMapField,
  wordField,
} from '../fields.ts';
import type { ToolCall } from '../tool.ts';
import { type NatsAddress, toAddress } from './nats-address.ts';
import { NATS_OPERATIONS } from './nats-schema.ts';

export type NatsOperation = (typeof NATS_OPERATIONS)[number];

export interface NatsTask {
  operation: NatsOperation;
  address: NatsAddress;
  bucket: string;
  /** The name of a key or object. */
  key: string;
  data: Json | undefined;
  revision: number | undefined;
  create: boolean;
  stream: string;
  subject: string;
  headers: Record<string, string>;
  messageId: string;
  consumer: string;
  batch: number;
  waitMs: number;
  ack: boolean;
  acks: string[];
  seconds: number | undefined;
  maxBytes: number;
}

const GIB = 1024 ** 3;
/** The shortest time that a fetch may take. */
const LEAST_WAIT_MS = 1000;

/** The fields that each operation needs. */
const NEEDS: Record<NatsOperation, (keyof NatsTask)[]> = {
  kv_get: ['bucket', 'key'],
  kv_put: ['bucket', 'key', 'data'],
  kv_delete: ['bucket', 'key'],
  kv_keys: ['bucket'],
  object_get: ['bucket', 'key'],
  object_put: ['bucket', 'key', 'data'],
  object_delete: ['bucket', 'key'],
  object_list: ['bucket'],
  js_publish: ['subject', 'data'],
  js_consume: ['stream', 'consumer'],
  js_ack: [],
};

export function toTask({ input, spec, idempotencyKey }: ToolCall): NatsTask {
  const operation =
    wordField(input, 'operation', NATS_OPERATIONS) ?? wordField(input, 'action', NATS_OPERATIONS);
  if (operation === undefined)
    throw new FieldFault(`"operation" is missing: one of ${NATS_OPERATIONS.join(', ')}`);
  const task: NatsTask = {
    operation: operation as NatsOperation,
    address: toAddress(input),
    bucket: nameField(input, 'bucket', /^[\w-]+$/, 'letters, digits, "_" and "-"'),
    key: textField(input, operation.startsWith('object') ? 'name' : 'key') ?? textField(input, 'key') ?? '',
    data: input.data ?? input.value,
    revision: numberField(input, 'revision'),
    create: booleanField(input, 'create') ?? false,
    stream: nameField(input, 'stream', /^[^\s.*>/\\\0]+$/, 'a name without ".", "*" and ">"'),
    subject: nameField(input, 'subject', /^[^\s\0]+$/, 'a subject without spaces'),
    headers: headersOf(input),
    messageId: textField(input, 'msg_id') ?? idempotencyKey,
    consumer: nameField(input, 'consumer', /^[^\s.*>/\\\0]+$/, 'a name without ".", "*" and ">"'),
    batch: Math.floor(numberField(input, 'batch', 1) ?? 100),
    waitMs: Math.max(LEAST_WAIT_MS, (numberField(input, 'wait') ?? 5) * 1000),
    ack: booleanField(input, 'ack') ?? true,
    acks: acksOf(input.acks),
    seconds: numberField(input, 'timeout') ?? numberField(spec, 'timeout'),
    maxBytes: numberField(input, 'max_bytes', 1) ?? GIB,
  };
  check(task);
  return task;
}

function check(task: NatsTask): void {
  const { operation, key } = task;
  const lacking = NEEDS[operation].find((field) =>
    field === 'data' ? task.data === undefined : task[field] === '',
  );
  if (lacking !== undefined) {
    const named = lacking === 'key' && operation.startsWith('object') ? 'name' : lacking;
    const field = lacking === 'data' && operation === 'kv_put' ? 'value' : named;
    throw new FieldFault(`"${field}" is missing: ${operation} needs it`);
  }
  const pattern = operation === 'kv_keys' ? /^[-/=.\w*>]*$/ : /^[-/=.\w]+$/;
  if (operation.startsWith('kv') && !pattern.test(key))
    throw fault('key', 'letters, digits and "-", "/", "_", "=", "."', key);
  if (operation === 'js_ack' && task.acks.length === 0)
    throw new FieldFault('"acks" is missing: js_ack needs the ack of each message');
}

function nameField(input: JsonObject, field: string, pattern: RegExp, wanted: string): string {
  const name = textField(input, field) ?? '';
  if (name === '' || pattern.test(name)) return name;
  throw fault(field, wanted, name);
}

function headersOf(input: JsonObject): Record<string, string> {
  objectField(input, 'headers');
  const headers = textMapField(input, 'headers');
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!-9;-~]+$/.test(name) || /[\r\n]/.test(value))
      throw new FieldFault(
        'each name in "headers" must not contain spaces or colons, and each value must be a single line',
      );
  }
  return headers;
}

function acksOf(value: Json | undefined): string[] {
  const list = value === undefined || value === null ? [] : value;
  // Accepts only what a consumer returned: any other subject would be a message to someone.
  if (
    Array.isArray(list) &&
    list.every((each) => typeof each === 'string' && /^\$JS\.ACK\.[^\s]+$/.test(each))
  )
    return list as string[];
  throw fault('acks', 'a list of the "ack" values that js_consume returned', value);
}
