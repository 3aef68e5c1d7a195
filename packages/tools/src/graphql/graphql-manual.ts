import type { ToolManual } from '../tool-manual.ts';

export const graphqlManual: ToolManual = {
  about: ['Sends one GraphQL operation as a POST request with a JSON body.'],
  result: [
    'The result is `{data}`, with `extensions` if the service returns them. If the response has `errors`, the outcome is an error that also has the result, with `errors` in it.',
    'If a connection in the data has `pageInfo {hasNextPage: true, endCursor: …}`, the result also has that cursor as `next_cursor`. A rule can use it to fetch the next page: `then: {do: jump, to: fetch, set_iter: {after: "{{ outcome.result.next_cursor }}"}}`. [`examples/graphql-pages.yaml`](../../examples/graphql-pages.yaml) collects all pages in this way. If connections are nested, Woof uses the outermost one. If two connections are side by side and both have a next page, Woof uses neither and writes a note to `woof logs`. In that case, name one with `page_path`.',
  ],
  errors: [
    {
      kinds: ['auth', 'not_found', 'rate_limit', 'server_error'],
      when: '`extensions.code` of the first error says so, or the HTTP status does, as for [`http`](http.md).',
    },
    { kinds: ['client_error'], when: 'The response has any other `errors`.' },
    { kinds: ['storage'], when: 'The response is larger than 64 MiB.' },
    { kinds: ['parse'], when: 'The response has neither `data` nor `errors`.' },
    { kinds: ['connection', 'timeout'], when: 'As for [`http`](http.md).' },
  ],
  example: `- user:
    kind: graphql
    url: "{{ workload.api }}/graphql"
    query: "query ($id: ID!) { user(id: $id) { name } }"
    variables: {id: "{{ workload.user }}"}
`,
  gives: { workload: { user: 'u1' }, result: { data: { user: { name: 'Ada' } } } },
};
