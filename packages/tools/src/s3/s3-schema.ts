import type { ToolSchema } from '@woof/net';

export const s3Schema: ToolSchema = {
  kind: 's3',
  summary: 'Puts, gets, lists and deletes objects in an S3-compatible store.',
  fields: {
    action: {
      type: 'string',
      doc: '`get`, `put`, `head`, `list` or `delete`.',
      oneOf: ['get', 'put', 'head', 'list', 'delete'],
      unset: '`put` if `data` is set, `list` if `key` is not set, else `get`',
    },
    bucket: { type: 'string', doc: 'The bucket.' },
    key: { type: 'string', doc: 'The object.' },
    data: {
      type: 'any',
      stored: 'streamed',
      doc: 'What to put. Woof sends text unchanged, the bytes of a [reference](../playbooks.md#large-values), and any other value as JSON. It sends a table of [`duckdb`](duckdb.md) as JSON, unless `content_type` is that of Arrow.',
    },
    content_type: { type: 'string', doc: 'The content type of `data`.' },
    prefix: { type: 'string', doc: 'With `list`: the prefix of the keys.' },
    limit: { type: 'number', doc: 'With `list`: the maximum number of keys.', unset: '1000' },
    endpoint: { type: 'string', doc: 'The address of the store.', unset: 'the AWS endpoint of the region' },
    region: { type: 'string', doc: 'The region.', unset: '`us-east-1`' },
    auth: { type: 'object', doc: '`{access_key_id, secret_access_key, session_token}`.' },
    timeout: { type: 'number', doc: 'Seconds for the whole task.', unset: '`spec.timeout`' },
    max_bytes: { type: 'number', doc: 'The maximum size in bytes of an object to get.', unset: '1 GiB' },
    verify_ssl: { type: 'boolean', doc: 'If false, Woof accepts any certificate.', unset: 'true' },
  },
  needs: [['bucket']],
};
