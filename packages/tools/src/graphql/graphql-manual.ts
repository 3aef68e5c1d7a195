import type { ToolManual } from '../tool-manual.ts';

export const graphqlManual: ToolManual = {
  about: ['Sends one GraphQL operation, as a POST with JSON.'],
  result: [
    'The result is `{data}`, with `extensions` where the service gives them. `errors` in the reply make an error outcome that has the result too, with `errors` in it.',
    'Where a connection in the data says `pageInfo {hasNextPage: true, endCursor: …}`, the result also has that cursor as `next_cursor`, so that a rule can go on: `then: {do: jump, to: fetch, set_iter: {after: "{{ outcome.result.next_cursor }}"}}`; [`examples/graphql-pages.yaml`](../../examples/graphql-pages.yaml) collects all pages so. Of connections inside others the outermost is meant. Where two are side by side and both have a next page, none is guessed, and `woof logs` says so: name one with `page_path`.',
  ],
  errors: [
    {
      kinds: ['auth', 'not_found', 'rate_limit', 'server_error'],
      when: '`extensions.code` of the first error says so, or the status, as for [`http`](http.md)',
    },
    { kinds: ['client_error'], when: '`errors` say something else' },
    { kinds: ['storage'], when: 'the reply has more than 64 MiB' },
    { kinds: ['parse'], when: 'the reply has neither `data` nor `errors`' },
    { kinds: ['connection', 'timeout'], when: 'as for [`http`](http.md)' },
  ],
  example: `- user:
    kind: graphql
    url: "{{ workload.api }}/graphql"
    query: "query ($id: ID!) { user(id: $id) { name } }"
    variables: {id: "{{ workload.user }}"}
`,
  gives: { workload: { user: 'u1' }, result: { data: { user: { name: 'Ada' } } } },
};
