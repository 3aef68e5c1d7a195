import type { ToolManual } from '../tool-manual.ts';

export const natsManual: ToolManual = {
  about: [
    'Keys and values, objects and streams of NATS JetStream. Connections stay open between the tasks of a worker.',
  ],
  result: [
    {
      table: [
        ['operation', 'result'],
        ['`kv_get`', '`{bucket, key, value, revision, created}`'],
        ['`kv_put`', '`{bucket, key, revision}`'],
        ['`kv_delete`', '`{bucket, key, deleted}`'],
        ['`kv_keys`', '`{bucket, keys, count}`'],
        [
          '`object_get`',
          '`{bucket, name, size, digest, modified, data}`; `data` is JSON if the bytes are JSON, else text, else base64',
        ],
        ['`object_put`', '`{bucket, name, size, digest, modified}`'],
        ['`object_delete`', '`{bucket, name, deleted}`'],
        ['`object_list`', '`{bucket, objects, count}`'],
        ['`js_publish`', '`{stream, subject, seq, duplicate}`'],
        [
          '`js_consume`',
          '`{stream, consumer, messages, count}`, each message `{subject, seq, data, headers, redelivered, timestamp}`, with `ack: false` also `ack`',
        ],
        ['`js_ack`', '`{acked}`'],
      ],
    },
    'What is read is JSON where it is JSON, else text, else base64. `js_consume` confirms messages when it has them; a worker that dies before the result is in the log has then taken them for nothing. Where none may be lost, say `ack: false`, work, and confirm at the end, as in the example.',
  ],
  errors: [
    {
      kinds: ['not_found'],
      when: 'no such bucket, key, object or stream; no stream takes the subject; JetStream is off',
    },
    { kinds: ['client_error'], when: 'the key has another revision; anything else that the server refuses' },
    { kinds: ['auth'], when: 'the credentials are wrong, or do not suffice' },
    {
      kinds: ['connection'],
      when: 'no connection, or it broke; not retryable where a certificate is at fault',
    },
    { kinds: ['timeout'], when: 'no answer in time' },
    {
      kinds: ['storage'],
      when: 'larger than `max_bytes`, than what the server takes as a message, or than there is room',
    },
  ],
  example: `- take: {kind: nats, operation: js_consume, stream: ORDERS, consumer: billing, ack: false, auth: "{{ workload.nats }}"}
- work: {kind: noop, result: "{{ _prev.messages | map(attribute='data') | list }}"}
- done: {kind: nats, operation: js_ack, acks: "{{ results.take.messages | map(attribute='ack') | list }}", auth: "{{ workload.nats }}"}
`,
};
