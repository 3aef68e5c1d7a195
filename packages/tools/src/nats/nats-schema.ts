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
  summary: 'Reads and writes key-value buckets, object stores and streams of NATS JetStream.',
  fields: {
    operation: {
      type: 'string',
      doc: 'The operation. [Result](#result) lists all operations.',
      oneOf: [...NATS_OPERATIONS],
    },
    action: {
      type: 'string',
      doc: 'Another name for `operation`.',
      sameAs: 'operation',
      oneOf: [...NATS_OPERATIONS],
    },
    servers: {
      type: 'any',
      doc: 'One address or a list of addresses: `nats://host:4222`, `tls://host:4222`.',
      unset: '`nats://127.0.0.1:4222`',
    },
    url: { type: 'any', doc: 'Another name for `servers`.', sameAs: 'servers' },
    auth: {
      type: 'any',
      doc: '`{user, password}`, `{token}`, `{creds}` (the text of a credentials file) or `{seed}` (of an nkey), for example `"{{ keychain.nats }}"`. It can also have `servers`, and `ca` with the certificates to trust.',
    },
    credential: { type: 'any', doc: 'Another name for `auth`.', sameAs: 'auth' },
    bucket: { type: 'string', doc: 'With `kv_…` and `object_…`: the bucket.' },
    key: { type: 'string', doc: 'With `kv_…`: the key. With `kv_keys`: a pattern such as `orders.>`.' },
    name: { type: 'string', doc: 'With `object_…`: the object.' },
    value: {
      type: 'any',
      doc: 'With `kv_put`: the value. Woof stores text unchanged and any other value as JSON.',
    },
    data: {
      type: 'any',
      stored: 'streamed',
      doc: 'With `object_put` and `js_publish`: what to send. Woof sends text unchanged, the bytes of a [reference](../playbooks.md#large-values), and any other value as JSON.',
    },
    revision: {
      type: 'number',
      doc: 'With `kv_put`: the revision that the key must have. 0 means that the key must not exist.',
    },
    create: {
      type: 'boolean',
      doc: 'If true, Woof creates the bucket, or the stream for the subject, if it does not exist.',
      unset: 'false',
    },
    stream: { type: 'string', doc: 'With `js_…`: the stream.' },
    subject: {
      type: 'string',
      doc: 'With `js_publish`: the subject to publish to. With `js_consume`: only messages of this subject.',
    },
    headers: { type: 'object', doc: 'With `js_publish`: headers of the message.' },
    msg_id: {
      type: 'string',
      doc: 'With `js_publish`: the id by which the server recognises a message that is sent twice.',
      unset: 'the idempotency key of the task',
    },
    consumer: {
      type: 'string',
      doc: 'With `js_consume`: the durable consumer. Woof creates it if it does not exist.',
    },
    batch: { type: 'number', doc: 'With `js_consume`: the maximum number of messages.', unset: '100' },
    wait: { type: 'number', doc: 'With `js_consume`: seconds to wait for messages, at least 1.', unset: '5' },
    ack: {
      type: 'boolean',
      doc: 'With `js_consume`: if true, the task acknowledges the messages. If false, the server delivers them again until `js_ack` acknowledges them.',
      unset: 'true',
    },
    acks: { type: 'list', doc: 'With `js_ack`: the `ack` of each message.' },
    timeout: { type: 'number', doc: 'Seconds for the whole task.', unset: '`spec.timeout`' },
    max_bytes: {
      type: 'number',
      doc: 'The maximum size in bytes of an object to get, or of all messages together.',
      unset: '1 GiB',
    },
  },
  needs: [['operation', 'action']],
};
