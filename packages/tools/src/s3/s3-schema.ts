import type { ToolSchema } from '@woof/net';

export const s3Schema: ToolSchema = {
  kind: 's3',
  summary: 'Puts, gets, lists and deletes objects of an S3-compatible store.',
  fields: {
    action: {
      type: 'string',
      doc: 'get, put, head, list or delete; put where data is given, list where key is not, else get.',
      oneOf: ['get', 'put', 'head', 'list', 'delete'],
    },
    bucket: { type: 'string', doc: 'The bucket.' },
    key: { type: 'string', doc: 'The object.' },
    data: {
      type: 'any',
      doc: 'What to put: text as it is, a reference by its bytes, any other value as JSON.',
    },
    content_type: { type: 'string', doc: 'The type of what is put.' },
    prefix: { type: 'string', doc: 'With list: how keys begin.' },
    limit: { type: 'number', doc: 'With list: how many keys at most; 1000 unless set.' },
    endpoint: { type: 'string', doc: 'The address of the store; that of AWS in the region unless set.' },
    region: { type: 'string', doc: 'us-east-1 unless set.' },
    auth: { type: 'object', doc: '{access_key_id, secret_access_key, session_token}.' },
    timeout: { type: 'number', doc: 'Seconds for the whole task; spec.timeout unless set.' },
    max_bytes: { type: 'number', doc: 'The largest object to get in bytes; 1 GiB unless set.' },
    verify_ssl: { type: 'boolean', doc: 'True unless set; false accepts any certificate.' },
  },
  needs: [['bucket']],
};
