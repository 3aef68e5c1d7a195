import type { ToolManual } from '../tool-manual.ts';

export const natsManual: ToolManual = {
  about: [
    'Reads and writes key-value buckets, object stores and streams of NATS JetStream. A worker keeps its connections open between tasks.',
  ],
  result: [
    {
      table: [
        ['Operation', 'Result'],
        ['`kv_get`', '`{bucket, key, value, revision, created}`'],
        ['`kv_put`', '`{bucket, key, revision}`'],
        ['`kv_delete`', '`{bucket, key, deleted}`'],
        ['`kv_keys`', '`{bucket, keys, count}`'],
        ['`object_get`', '`{bucket, name, size, digest, modified, data}`'],
        ['`object_put`', '`{bucket, name, size, digest, modified}`'],
        ['`object_delete`', '`{bucket, name, deleted}`'],
        ['`object_list`', '`{bucket, objects, count}`'],
        ['`js_publish`', '`{stream, subject, seq, duplicate}`'],
        [
          '`js_consume`',
          '`{stream, consumer, messages, count}`, with each message as `{subject, seq, data, headers, redelivered, timestamp}`. With `ack: false`, each message also has `ack`.',
        ],
        ['`js_ack`', '`{acked}`'],
      ],
    },
    'Woof returns what it reads as a value if it is JSON, else as text, else as base64.',
    '`js_consume` acknowledges messages as soon as it has them. If the worker dies before the result is in the log, those messages are lost. If you cannot lose messages, set `ack: false`, process them, and acknowledge them at the end, as in the example.',
  ],
  errors: [
    {
      kinds: ['not_found'],
      when: 'The bucket, key, object or stream does not exist, no stream accepts the subject, or JetStream is off.',
    },
    {
      kinds: ['client_error'],
      when: 'The key has a different revision, or the server refuses the request for any other reason.',
    },
    { kinds: ['auth'], when: 'The credentials are wrong, or do not have the permission.' },
    {
      kinds: ['connection'],
      when: 'Woof could not connect, or the connection broke. A certificate problem is not retryable.',
    },
    { kinds: ['timeout'], when: 'No response in time.' },
    {
      kinds: ['storage'],
      when: 'The data is larger than `max_bytes`, than the server accepts in one message, or than the space that is left.',
    },
  ],
  example: `- take: {kind: nats, operation: js_consume, stream: ORDERS, consumer: billing, ack: false, auth: "{{ workload.nats }}"}
- work: {kind: noop, result: "{{ _prev.messages | map(attribute='data') | list }}"}
- done: {kind: nats, operation: js_ack, acks: "{{ results.take.messages | map(attribute='ack') | list }}", auth: "{{ workload.nats }}"}
`,
};
