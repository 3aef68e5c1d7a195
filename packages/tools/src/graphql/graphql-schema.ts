import type { ToolSchema } from '@woof/net';

export const graphqlSchema: ToolSchema = {
  kind: 'graphql',
  summary: 'Sends one GraphQL operation over HTTP.',
  fields: {
    url: { type: 'string', doc: 'The absolute http or https URL of the service.' },
    endpoint: { type: 'string', doc: 'Another name of url.' },
    query: { type: 'string', doc: 'The document: a query or a mutation.' },
    variables: { type: 'object', doc: 'Values for the variables of the document.' },
    operation_name: { type: 'string', doc: 'Which operation, where the document has several.' },
    page_path: {
      type: 'string',
      doc: 'Where in the data the connection is whose next page is meant; the outermost unless set.',
    },
    headers: { type: 'object', doc: 'Request headers.' },
    auth: { type: 'any', doc: 'Credentials, as for http.' },
    timeout: { type: 'number', doc: 'Seconds for the whole request; spec.timeout unless set.' },
    verify_ssl: { type: 'boolean', doc: 'True unless set; false accepts any certificate.' },
  },
  needs: [['url', 'endpoint'], ['query']],
};
