import type { ToolSchema } from '@woof/net';

export const httpSchema: ToolSchema = {
  kind: 'http',
  summary: 'Sends one HTTP request. Retries are the policy’s business.',
  fields: {
    method: { type: 'string', doc: 'GET unless set.' },
    url: { type: 'string', doc: 'The absolute http or https URL.' },
    endpoint: { type: 'string', doc: 'Another name of url.' },
    headers: { type: 'object', doc: 'Request headers.' },
    params: { type: 'object', doc: 'Query parameters; a list repeats its key.' },
    payload: { type: 'any', doc: 'The body: a map or list is sent as JSON, text as it is.' },
    body: { type: 'any', doc: 'Another name of payload.' },
    json: { type: 'any', doc: 'The body, always as JSON.' },
    form: { type: 'object', doc: 'The body, as application/x-www-form-urlencoded.' },
    data: { type: 'any', doc: 'Another name of payload.' },
    auth: {
      type: 'any',
      doc: 'The name of a keychain entry, {type: bearer, token} or {type: basic, username, password}.',
    },
    timeout: { type: 'number', doc: 'Seconds for the whole request; spec.timeout unless set.' },
    follow_redirects: { type: 'boolean', doc: 'True unless set; at most 10 redirects.' },
    verify_ssl: { type: 'boolean', doc: 'True unless set; false accepts any certificate.' },
  },
  needs: [['url', 'endpoint']],
};
