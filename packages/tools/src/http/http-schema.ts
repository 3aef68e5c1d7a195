import type { ToolSchema } from '@woof/net';

export const httpSchema: ToolSchema = {
  kind: 'http',
  summary: 'Sends one HTTP request. Retries are the policy’s business.',
  fields: {
    method: { type: 'string', doc: 'the method', unset: 'GET' },
    url: { type: 'string', doc: 'the absolute http or https address' },
    endpoint: { type: 'string', doc: 'another name of `url`', sameAs: 'url' },
    headers: { type: 'object', doc: 'a map of request headers' },
    params: { type: 'object', doc: 'a map of query parameters; a list repeats its key, null leaves it out' },
    payload: { type: 'any', doc: 'the body: a map or list is sent as JSON, text as it is' },
    body: { type: 'any', doc: 'another name of `payload`', sameAs: 'payload' },
    data: { type: 'any', doc: 'another name of `payload`', sameAs: 'payload' },
    json: { type: 'any', doc: 'the body, always as JSON' },
    form: { type: 'object', doc: 'the body, as `application/x-www-form-urlencoded`' },
    auth: { type: 'any', doc: 'credentials: see [Details](#details)' },
    timeout: {
      type: 'number',
      doc: 'seconds for the whole request, redirects and body included',
      unset: '`spec.timeout`',
    },
    follow_redirects: {
      type: 'boolean',
      doc: 'follows up to ten redirects. To another origin, nothing of `auth` and `headers` goes along but the type of a body',
      unset: 'true',
    },
    verify_ssl: { type: 'boolean', doc: 'false accepts any certificate', unset: 'true' },
  },
  needs: [['url', 'endpoint']],
};
