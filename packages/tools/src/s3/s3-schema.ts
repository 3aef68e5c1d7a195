import type { ToolSchema } from '@woof/net';

export const s3Schema: ToolSchema = {
  kind: 's3',
  summary: 'Puts, gets, lists and deletes objects of an S3-compatible store.',
  fields: {
    action: {
      type: 'string',
      doc: '`get`, `put`, `head`, `list` or `delete`',
      oneOf: ['get', 'put', 'head', 'list', 'delete'],
      unset: '`put` where `data` is given, `list` where `key` is not, else `get`',
    },
    bucket: { type: 'string', doc: 'the bucket' },
    key: { type: 'string', doc: 'the object' },
    data: {
      type: 'any',
      stored: 'streamed',
      doc: 'what to put: text as it is, a [reference](../playbooks.md#large-values) by its bytes (a table of [`duckdb`](duckdb.md) as JSON, unless `content_type` is that of Arrow), any other value as JSON',
    },
    content_type: { type: 'string', doc: 'the type of what is put' },
    prefix: { type: 'string', doc: 'with `list`: how keys begin' },
    limit: { type: 'number', doc: 'with `list`: how many keys at most', unset: '1000' },
    endpoint: { type: 'string', doc: 'the address of the store', unset: 'that of AWS in the region' },
    region: { type: 'string', doc: 'the region', unset: '`us-east-1`' },
    auth: { type: 'object', doc: '`{access_key_id, secret_access_key, session_token}`' },
    timeout: { type: 'number', doc: 'seconds for the whole task', unset: '`spec.timeout`' },
    max_bytes: { type: 'number', doc: 'the largest object to get in bytes', unset: '1 GiB' },
    verify_ssl: { type: 'boolean', doc: 'false accepts any certificate', unset: 'true' },
  },
  needs: [['bucket']],
};
