/** The operations, one function each: it takes a task and a connection and returns a result. */
import { AckPolicy, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { type ObjectInfo, type ObjectStore, Objm } from '@nats-io/obj';
import { headers as messageHeaders, type NatsConnection } from '@nats-io/transport-node';
import { decodeBytes, encodeJson, type Json, type JsonObject, referenceIn } from '@woof/net';
import { jsonBytes } from '../json-bytes.ts';
import type { Blobs } from '../tool.ts';
import type { NatsOperation, NatsTask } from './nats-task.ts';

export interface NatsWork {
  task: NatsTask;
  connection: NatsConnection;
  blobs: Blobs;
  signal: AbortSignal;
}

/** The server answered, but not with what was asked for. */
export class NatsAbsence extends Error {}
export class NatsTooLarge extends Error {}

/** Larger objects go to the blob store. */
const INLINE_MAX_BYTES = 1024 * 1024;
const MOST_KEYS = 100_000;

export const OPERATIONS: Record<NatsOperation, (work: NatsWork) => Promise<Json>> = {
  kv_get: async (work) => {
    const { bucket, key } = work.task;
    const entry = await (await kvOf(work)).get(key);
    if (entry?.operation !== 'PUT') throw new NatsAbsence(`the bucket ${bucket} has no key ${key}`);
    const { value, revision, created } = entry;
    return { bucket, key, value: decodeBytes(value), revision, created: created.toISOString() };
  },
  kv_put: async (work) => {
    const { bucket, key, data, revision } = work.task;
    const kv = await kvOf(work);
    const bytes = await bytesOf(data as Json, work);
    const written =
      revision === undefined
        ? await kv.put(key, bytes)
        : revision === 0
          ? await kv.create(key, bytes)
          : await kv.update(key, bytes, revision);
    return { bucket, key, revision: written };
  },
  kv_delete: async (work) => {
    const { bucket, key } = work.task;
    await (await kvOf(work)).delete(key);
    return { bucket, key, deleted: true };
  },
  kv_keys: async (work) => {
    const { bucket, key } = work.task;
    const keys: string[] = [];
    for await (const each of await (await kvOf(work)).keys(key === '' ? '>' : key)) {
      keys.push(each);
      if (keys.length > MOST_KEYS)
        throw new NatsTooLarge(`there are more than ${MOST_KEYS} keys; use "key" to request fewer`);
    }
    return { bucket, keys: keys.sort(), count: keys.length };
  },
  object_get: async (work) => {
    const { bucket, key, maxBytes } = work.task;
    const found = await (await objectsOf(work)).get(key);
    if (found === null) throw new NatsAbsence(`the bucket ${bucket} has no object ${key}`);
    const { info, data, error } = found;
    if (info.size > maxBytes) {
      await data.cancel();
      throw new NatsTooLarge(
        `the object is ${info.size} bytes, and the limit is ${maxBytes}; raise "max_bytes"`,
      );
    }
    const bytes = checked(data as unknown as AsyncIterable<Uint8Array>, error);
    const hint = { type: 'bytes' };
    const value =
      info.size > INLINE_MAX_BYTES
        ? await work.blobs.put(bytes, { hint, maxBytes })
        : decodeBytes(await whole(bytes, maxBytes));
    return { ...aboutObject(info), data: value };
  },
  object_put: async (work) => {
    const { key, data } = work.task;
    const reference = referenceIn(data);
    const source = reference ? jsonBytes(reference, work.blobs) : [await bytesOf(data as Json, work)];
    const stream = ReadableStream.from(source) as ReadableStream<Uint8Array>;
    return aboutObject(await (await objectsOf(work)).put({ name: key }, stream));
  },
  object_delete: async (work) => {
    const { bucket, key } = work.task;
    await (await objectsOf(work)).delete(key);
    return { bucket, name: key, deleted: true };
  },
  object_list: async (work) => {
    const { bucket } = work.task;
    const objects = (await (await objectsOf(work)).list()).filter(({ deleted }) => !deleted);
    return { bucket, objects: objects.map(aboutObject), count: objects.length };
  },
  js_publish: async (work) => {
    const { task, connection } = work;
    if (task.create && task.stream !== '') await makeStream(connection, task.stream, task.subject);
    const headers = messageHeaders();
    for (const [name, value] of Object.entries(task.headers)) headers.set(name, value);
    const bytes = await bytesOf(task.data as Json, work);
    const expect = task.stream === '' ? {} : { expect: { streamName: task.stream } };
    const ack = await jetstream(connection)
      .publish(task.subject, bytes, { headers, msgID: task.messageId, ...expect })
      .catch((error: Error) => {
        // The client throws this whenever no stream takes the message.
        if (error.name !== 'JetStreamNotEnabled') throw error;
        throw new NatsAbsence(
          `no stream accepts the subject ${task.subject}, or JetStream is off; to create a stream, set "stream" and create: true`,
        );
      });
    return { stream: ack.stream, subject: task.subject, seq: ack.seq, duplicate: ack.duplicate };
  },
  js_consume: async (work) => {
    const { task, connection, signal } = work;
    await makeConsumer(work);
    const consumer = await jetstream(connection).consumers.get(task.stream, task.consumer);
    const taken: JsMsg[] = [];
    let bytes = 0;
    for await (const message of await consumer.fetch({ max_messages: task.batch, expires: task.waitMs })) {
      bytes += message.data.length;
      if (bytes > task.maxBytes)
        throw new NatsTooLarge(`the messages are larger than ${task.maxBytes} bytes`);
      taken.push(message);
    }
    // A stopped task has taken nothing: its messages are delivered again.
    signal.throwIfAborted();
    if (task.ack) await Promise.all(taken.map((message) => message.ackAck()));
    const messages = taken.map((message) => aboutMessage(message, task.ack));
    return { stream: task.stream, consumer: task.consumer, messages, count: messages.length };
  },
  js_ack: async ({ task, connection }) => {
    await Promise.all(task.acks.map((subject) => connection.request(subject, '+ACK')));
    return { acked: task.acks.length };
  },
};

async function kvOf({ task, connection }: NatsWork): Promise<KV> {
  const manager = new Kvm(connection);
  return task.create ? manager.create(task.bucket) : manager.open(task.bucket);
}

async function objectsOf({ task, connection }: NatsWork): Promise<ObjectStore> {
  const manager = new Objm(connection);
  return task.create ? manager.create(task.bucket) : manager.open(task.bucket);
}

async function makeStream(connection: NatsConnection, name: string, subject: string): Promise<void> {
  const manager = await jetstreamManager(connection);
  const known = await manager.streams.info(name).catch((error: Error) => {
    if (error.name !== 'StreamNotFoundError') throw error;
  });
  if (!known) await manager.streams.add({ name, subjects: [subject] });
}

async function makeConsumer({ task, connection }: NatsWork): Promise<void> {
  const manager = await jetstreamManager(connection);
  const known = await manager.consumers.info(task.stream, task.consumer).catch((error: Error) => {
    if (error.name !== 'ConsumerNotFoundError') throw error;
  });
  if (known) return;
  await manager.consumers.add(task.stream, {
    durable_name: task.consumer,
    ack_policy: AckPolicy.Explicit,
    ...(task.subject === '' ? {} : { filter_subject: task.subject }),
  });
}

async function bytesOf(data: Json, { blobs, task }: NatsWork): Promise<Uint8Array> {
  const reference = referenceIn(data);
  if (reference) return whole(jsonBytes(reference, blobs), task.maxBytes);
  return Buffer.from(typeof data === 'string' ? data : encodeJson(data));
}

/** The client reports a wrong checksum separately from the stream. */
async function* checked(
  data: AsyncIterable<Uint8Array>,
  error: Promise<Error | null>,
): AsyncIterable<Uint8Array> {
  yield* data;
  const fault = await error;
  if (fault) throw fault;
}

/** Counted as it arrives, because a table is larger when written as JSON. */
async function whole(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > maxBytes)
      throw new NatsTooLarge(`the value is larger than ${maxBytes} bytes; raise "max_bytes", or send less`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function aboutObject({ bucket, name, size, digest, mtime }: ObjectInfo): JsonObject {
  return { bucket, name, size, digest, modified: mtime };
}

function aboutMessage(message: JsMsg, isAcked: boolean): JsonObject {
  const headers = [...(message.headers?.keys() ?? [])].map((name) => [name, message.headers!.get(name)]);
  return {
    subject: message.subject,
    seq: message.seq,
    data: decodeBytes(message.data),
    headers: Object.fromEntries(headers) as JsonObject,
    redelivered: message.redelivered,
    timestamp: message.time.toISOString(),
    ...(isAcked ? {} : { ack: ackOf(message) }),
  };
}

/** The subject to which a confirmation is sent. */
function ackOf(message: JsMsg): string {
  return (message as unknown as { msg: { reply?: string } }).msg.reply ?? '';
}
