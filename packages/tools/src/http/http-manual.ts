import type { ToolManual } from '../tool-manual.ts';

export const httpManual: ToolManual = {
  about: ["Sends one request. Retries are the policy's business."],
  details: [
    '`auth` is the name of an entry of the [keychain](../secrets.md), `{type: bearer, token: …}`, `{type: basic, username: …, password: …}` or `{type: api_key, value: …, header: …}`; the header is `X-API-Key` unless set.',
    'Requests other than GET and HEAD carry an `Idempotency-Key`: see [events](../events.md#idempotency-keys).',
    'The log of a run holds its `workload`, values of `--set` included, and what tasks answered. So a token that is passed in this way stands in `.woof/`: keep that folder to yourself.',
  ],
  result: [
    'The result is `{status_code, headers, url, elapsed, data}`. `data` is the body: JSON as a value, text as text, also where the server does not say what it is; of anything else, such as an image, the [reference](../playbooks.md#large-values) to its stored bytes. Rules also see `outcome.http`: `{status, headers, request_id}`. Where a `Link` header names the next page, the result also has its address as `next_url`, so that a rule can go on: `then: {do: jump, to: fetch, set_iter: {url: "{{ outcome.result.next_url }}"}}`. A status outside 200–299 is an error that has the result too.',
  ],
  errors: [
    { kinds: ['rate_limit'], when: '429; `retry_after` has the seconds of the header' },
    { kinds: ['server_error'], when: '500 and above' },
    { kinds: ['timeout'], when: '408, or no answer in time' },
    {
      kinds: ['connection'],
      when: 'no connection, or a broken one; a bad certificate, or no agreement on TLS, is not retryable',
    },
    { kinds: ['auth'], when: '401, 403' },
    { kinds: ['not_found'], when: '404' },
    { kinds: ['client_error'], when: 'other statuses, too many redirects' },
    { kinds: ['parse'], when: 'the body says that it is JSON, and is not' },
    { kinds: ['storage'], when: 'the body is larger than `spec.http.max_bytes`' },
  ],
  example: `- fetch:
    kind: http
    url: "{{ workload.api }}/orders"
    params: {page: "{{ iter.page | default(1) }}"}
    spec:
      timeout: 20
      policy:
        rules:
          - when: "{{ outcome.status == 'error' and outcome.error.retryable }}"
            then: {do: retry, attempts: 5, backoff: exponential, delay: 0.5}
          - when: "{{ outcome.http.status == 404 }}"
            then: {do: continue, set_ctx: {missing: true}}
          - when: "{{ outcome.status == 'error' }}"
            then: {do: fail}
          - else:
              then: {do: continue}
`,
  gives: { partly: true, result: { status_code: 200, data: { orders: [{ id: 7 }] } } },
};
