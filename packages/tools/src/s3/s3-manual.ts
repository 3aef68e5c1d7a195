import type { ToolManual } from '../tool-manual.ts';

export const s3Manual: ToolManual = {
  about: [
    'Puts, gets, lists and deletes objects of an S3-compatible store, with requests signed by AWS Signature Version 4.',
  ],
  result: [
    'The result of `list` is `{bucket, prefix, objects, count, truncated}`, each object `{key, size, etag, last_modified}`. That of the others is `{bucket, key, uri, etag, content_type, size}` as far as the store says it, and with `get` also `data`: JSON as a value, text as text, and of anything else the reference to its stored bytes. The bucket is part of the path, not of the host name.',
  ],
  errors: [
    { kinds: ['not_found'], when: 'no such bucket or object' },
    { kinds: ['auth'], when: 'the keys are wrong, or do not suffice' },
    { kinds: ['rate_limit'], when: 'the store asks to slow down' },
    { kinds: ['connection', 'timeout', 'server_error'], when: 'as for [`http`](http.md)' },
    { kinds: ['storage'], when: 'the object is larger than `max_bytes`' },
    { kinds: ['client_error'], when: 'anything else that the store refuses' },
  ],
  example: `- keep: {kind: s3, bucket: reports, key: "{{ execution_id }}.json", data: "{{ totals.rows }}", auth: "{{ workload.store }}"}
`,
};
