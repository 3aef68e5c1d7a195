import type { ToolManual } from '../tool-manual.ts';

export const httpManual: ToolManual = {
  about: ['Sends one HTTP request. To retry it, write a policy.'],
  details: [
    '`auth` is the name of a [keychain](../secrets.md) entry, or one of these maps:',
    {
      table: [
        ['`auth`', 'What Woof sends'],
        ['`{type: bearer, token: …}`', 'The token as a bearer token.'],
        ['`{type: basic, username: …, password: …}`', 'Basic authentication.'],
        ['`{type: api_key, value: …, header: …}`', 'The value in `header`. The default is `X-API-Key`.'],
      ],
    },
    'Requests other than GET and HEAD carry an `Idempotency-Key`: see [events](../events.md#idempotency-keys).',
    'The log of a run contains its `workload`, including values from `--set`, and what tasks returned. A token that you pass in this way is therefore stored in `.woof/`. Do not share that directory.',
  ],
  result: [
    'The result is `{status_code, headers, url, elapsed, data}`. `data` is the body. JSON becomes a value and text becomes text, even if the server does not name the content type. For anything else, such as an image, `data` is the [reference](../playbooks.md#large-values) to the stored bytes.',
    'Rules can also read `outcome.http`: `{status, headers, request_id}`. If a `Link` header names the next page, the result also has its address as `next_url`. A rule can use it to fetch the next page: `then: {do: jump, to: fetch, set_iter: {url: "{{ outcome.result.next_url }}"}}`. A status outside 200–299 is an error, and the outcome also has the result.',
  ],
  errors: [
    { kinds: ['rate_limit'], when: 'Status 429. `retry_after` has the seconds from the header.' },
    { kinds: ['server_error'], when: 'Status 500 and above.' },
    { kinds: ['timeout'], when: 'Status 408, or no response in time.' },
    {
      kinds: ['connection'],
      when: 'Woof could not connect, or the connection broke. A bad certificate or a failed TLS negotiation is not retryable.',
    },
    { kinds: ['auth'], when: 'Status 401 or 403.' },
    { kinds: ['not_found'], when: 'Status 404.' },
    { kinds: ['client_error'], when: 'Any other status, or too many redirects.' },
    { kinds: ['parse'], when: 'The content type says JSON, but the body is not JSON.' },
    { kinds: ['storage'], when: 'The body is larger than `spec.http.max_bytes`.' },
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
