import type { ToolSchema } from '@woof/net';

export const NATS_OPERATIONS = [
  'kv_get',
  'kv_put',
  'kv_delete',
  'kv_keys',
  'object_get',
  'object_put',
  'object_delete',
  'object_list',
  'js_publish',
  'js_consume',
  'js_ack',
] as const;

export const natsSchema: ToolSchema = {
  kind: 'nats',
  summary: 'Keys and values, objects and streams of NATS JetStream.',
  fields: {
    operation: {
      type: 'string',
      doc: 'what to do; [Result](#result) lists the operations',
      oneOf: [...NATS_OPERATIONS],
    },
    action: {
      type: 'string',
      doc: 'another name of `operation`',
      sameAs: 'operation',
      oneOf: [...NATS_OPERATIONS],
    },
    servers: {
      type: 'any',
      doc: 'the address, or a list of them: `nats://host:4222`, `tls://host:4222`',
      unset: '`nats://127.0.0.1:4222`',
    },
    url: { type: 'any', doc: 'another name of `servers`', sameAs: 'servers' },
    auth: {
      type: 'any',
      doc: '`{user, password}`, `{token}`, `{creds}` (the text of a file of credentials) or `{seed}` (of an nkey), for example `"{{ keychain.nats }}"`; it may have `servers` and `ca`, the certificates to trust, too',
    },
    credential: { type: 'any', doc: 'another name of `auth`', sameAs: 'auth' },
    bucket: { type: 'string', doc: 'with `kv_…` and `object_…`: the bucket' },
    key: { type: 'string', doc: 'with `kv_…`: the key; with `kv_keys` a pattern such as `orders.>`' },
    name: { type: 'string', doc: 'with `object_…`: the object' },
    value: { type: 'any', doc: 'with `kv_put`: text as it is, any other value as JSON' },
    data: {
      type: 'any',
      stored: 'streamed',
      doc: 'with `object_put` and `js_publish`: text as it is, a [reference](../playbooks.md#large-values) by its bytes, any other value as JSON',
    },
    revision: {
      type: 'number',
      doc: 'with `kv_put`: the revision that the key must have; 0 where it must not exist',
    },
    create: {
      type: 'boolean',
      doc: 'makes the bucket, or the stream of the subject, where it is missing',
      unset: 'false',
    },
    stream: { type: 'string', doc: 'with `js_…`: the stream' },
    subject: {
      type: 'string',
      doc: 'with `js_publish`: where to; with `js_consume`: only messages of this subject',
    },
    headers: { type: 'object', doc: 'with `js_publish`: headers of the message' },
    msg_id: {
      type: 'string',
      doc: 'with `js_publish`: what tells a message that is sent twice',
      unset: 'the idempotency key of the task',
    },
    consumer: {
      type: 'string',
      doc: 'with `js_consume`: the durable consumer, which is made where it is missing',
    },
    batch: { type: 'number', doc: 'with `js_consume`: how many messages at most', unset: '100' },
    wait: { type: 'number', doc: 'with `js_consume`: seconds to wait for messages, at least 1', unset: '5' },
    ack: {
      type: 'boolean',
      doc: 'with `js_consume`: whether messages are confirmed; with false they come again until `js_ack` confirms them',
      unset: 'true',
    },
    acks: { type: 'list', doc: 'with `js_ack`: the `ack` of each message' },
    timeout: { type: 'number', doc: 'seconds for the whole task', unset: '`spec.timeout`' },
    max_bytes: {
      type: 'number',
      doc: 'the largest object to get, or all messages together, in bytes',
      unset: '1 GiB',
    },
  },
  needs: [['operation', 'action']],
};
