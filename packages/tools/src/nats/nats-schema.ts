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
      doc: 'kv_get, kv_put, kv_delete, kv_keys, object_get, object_put, object_delete, object_list, js_publish, js_consume or js_ack.',
      oneOf: [...NATS_OPERATIONS],
    },
    action: { type: 'string', doc: 'The same as operation.', oneOf: [...NATS_OPERATIONS] },
    servers: { type: 'any', doc: 'The address, or a list of them; nats://127.0.0.1:4222 unless set.' },
    url: { type: 'any', doc: 'The same as servers.' },
    auth: {
      type: 'any',
      doc: '{user, password}, {token}, {creds} or {seed}; it may have servers and ca, the certificates to trust, too.',
    },
    credential: { type: 'any', doc: 'The same as auth.' },
    bucket: { type: 'string', doc: 'With kv and object operations: the bucket.' },
    key: { type: 'string', doc: 'With kv operations: the key; with kv_keys a pattern, such as orders.>.' },
    name: { type: 'string', doc: 'With object operations: the object; key does too.' },
    value: { type: 'any', doc: 'With kv_put: text as it is, any other value as JSON.' },
    data: {
      type: 'any',
      doc: 'With object_put and js_publish: text as it is, a reference by its bytes, any other value as JSON.',
    },
    revision: {
      type: 'number',
      doc: 'With kv_put: the revision that the key must have; 0 where it must not exist.',
    },
    create: { type: 'boolean', doc: 'Makes the bucket, or the stream of the subject, where it is missing.' },
    stream: { type: 'string', doc: 'With js operations: the stream.' },
    subject: {
      type: 'string',
      doc: 'With js_publish: where to; with js_consume: only messages of this subject.',
    },
    headers: { type: 'object', doc: 'With js_publish: headers of the message.' },
    msg_id: {
      type: 'string',
      doc: 'With js_publish: what tells a message that is sent twice; the idempotency key of the task unless set.',
    },
    consumer: {
      type: 'string',
      doc: 'With js_consume: the durable consumer, which is made where it is missing.',
    },
    batch: { type: 'number', doc: 'With js_consume: how many messages at most; 100 unless set.' },
    wait: { type: 'number', doc: 'With js_consume: seconds to wait for messages; 5 unless set.' },
    ack: {
      type: 'boolean',
      doc: 'With js_consume: true unless set. With false, messages come again unless js_ack is given their ack.',
    },
    acks: { type: 'list', doc: 'With js_ack: the ack of each message.' },
    timeout: { type: 'number', doc: 'Seconds for the whole task; spec.timeout unless set.' },
    max_bytes: { type: 'number', doc: 'The largest object to get in bytes; 1 GiB unless set.' },
  },
  needs: [['operation', 'action']],
};
