import type { ToolSchema } from '@woof/net';

export const graphqlSchema: ToolSchema = {
  kind: 'graphql',
  summary: 'Sends one GraphQL operation over HTTP.',
  fields: {
    url: { type: 'string', doc: 'the absolute http or https address of the service' },
    endpoint: { type: 'string', doc: 'another name of `url`', sameAs: 'url' },
    query: { type: 'string', doc: 'the document: a query or a mutation' },
    variables: { type: 'object', doc: 'a map of values for the variables of the document' },
    operation_name: { type: 'string', doc: 'which operation, where the document has several' },
    page_path: {
      type: 'string',
      doc: 'where in the data the connection is whose next page is meant: `shop.orders`',
      unset: 'the outermost',
    },
    headers: { type: 'object', doc: 'a map of request headers' },
    auth: { type: 'any', doc: 'credentials, as for [`http`](http.md)' },
    timeout: { type: 'number', doc: 'seconds for the whole request', unset: '`spec.timeout`' },
    verify_ssl: { type: 'boolean', doc: 'false accepts any certificate', unset: 'true' },
  },
  needs: [['url', 'endpoint'], ['query']],
};
