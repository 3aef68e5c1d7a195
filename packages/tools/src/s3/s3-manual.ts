import type { ToolManual } from '../tool-manual.ts';

export const s3Manual: ToolManual = {
  about: [
    'Puts, gets, lists and deletes objects in an S3-compatible store. Woof signs requests with AWS Signature Version 4.',
  ],
  result: [
    {
      table: [
        ['Action', 'Result'],
        [
          '`list`',
          '`{bucket, prefix, objects, count, truncated}`, with each object as `{key, size, etag, last_modified}`.',
        ],
        [
          '`put`, `head`, `delete`',
          '`{bucket, key, uri, etag, content_type, size}`, as far as the store reports these fields.',
        ],
        [
          '`get`',
          'The same, and `data`: JSON as a value, text as text, and for anything else the reference to the stored bytes.',
        ],
      ],
    },
    'The bucket is part of the path, not of the host name.',
  ],
  errors: [
    { kinds: ['not_found'], when: 'The bucket or the object does not exist.' },
    { kinds: ['auth'], when: 'The keys are wrong, or do not have the permission.' },
    { kinds: ['rate_limit'], when: 'The store asks Woof to slow down.' },
    { kinds: ['connection', 'timeout', 'server_error'], when: 'As for [`http`](http.md).' },
    { kinds: ['storage'], when: 'The object is larger than `max_bytes`.' },
    { kinds: ['client_error'], when: 'The store refuses the request for any other reason.' },
  ],
  example: `- keep: {kind: s3, bucket: reports, key: "{{ execution_id }}.json", data: "{{ totals.rows }}", auth: "{{ workload.store }}"}
`,
};
