import type { ToolSchema } from '@woof/net';

export const graphqlSchema: ToolSchema = {
  kind: 'graphql',
  summary: 'Sends one GraphQL operation over HTTP.',
  fields: {
    url: { type: 'string', doc: 'The absolute `http` or `https` address of the service.' },
    endpoint: { type: 'string', doc: 'Another name for `url`.', sameAs: 'url' },
    query: { type: 'string', doc: 'The GraphQL document: a query or a mutation.' },
    variables: { type: 'object', doc: 'Values for the variables of the GraphQL document.' },
    operation_name: { type: 'string', doc: 'The operation to run, if the GraphQL document has several.' },
    page_path: {
      type: 'string',
      doc: 'The path in the data to the connection that `next_cursor` refers to, such as `shop.orders`.',
      unset: 'the outermost connection',
    },
    headers: { type: 'object', doc: 'Request headers.' },
    auth: { type: 'any', doc: 'Credentials, as for [`http`](http.md).' },
    timeout: { type: 'number', doc: 'Seconds for the whole request.', unset: '`spec.timeout`' },
    verify_ssl: { type: 'boolean', doc: 'If false, Woof accepts any certificate.', unset: 'true' },
  },
  needs: [['url', 'endpoint'], ['query']],
  anywhere: true,
};
