import type { ToolSchema } from '@woof/net';

export const httpSchema: ToolSchema = {
  kind: 'http',
  summary: 'Sends one HTTP request. To retry it, write a policy.',
  fields: {
    method: { type: 'string', doc: 'The method.', unset: 'GET' },
    url: { type: 'string', doc: 'The absolute `http` or `https` address.' },
    endpoint: { type: 'string', doc: 'Another name for `url`.', sameAs: 'url' },
    headers: { type: 'object', doc: 'Request headers.' },
    params: { type: 'object', doc: 'Query parameters. A list repeats its key. Null omits the key.' },
    payload: { type: 'any', doc: 'The body. Woof sends a map or list as JSON, and text unchanged.' },
    body: { type: 'any', doc: 'Another name for `payload`.', sameAs: 'payload' },
    data: { type: 'any', doc: 'Another name for `payload`.', sameAs: 'payload' },
    json: { type: 'any', insteadOf: 'payload', doc: 'The body, always sent as JSON.' },
    form: {
      type: 'object',
      insteadOf: 'payload',
      doc: 'The body, sent as `application/x-www-form-urlencoded`.',
    },
    auth: { type: 'any', doc: 'Credentials: see [Details](#details).' },
    timeout: {
      type: 'number',
      doc: 'Seconds for the whole request, including redirects and the body.',
      unset: '`spec.timeout`',
    },
    follow_redirects: {
      type: 'boolean',
      doc: 'If true, Woof follows up to ten redirects. It does not send `auth` and `headers` to another origin, except the content type of a body.',
      unset: 'true',
    },
    verify_ssl: { type: 'boolean', doc: 'If false, Woof accepts any certificate.', unset: 'true' },
  },
  needs: [['url', 'endpoint']],
  anywhere: true,
};
