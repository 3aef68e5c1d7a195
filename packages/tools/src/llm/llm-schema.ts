import type { ToolSchema } from '@woof/net';

export const llmSchema: ToolSchema = {
  kind: 'llm',
  summary: 'Sends a request to a language model, at any endpoint that supports the OpenAI chat protocol.',
  fields: {
    base_url: { type: 'string', doc: 'The base URL of the API.', unset: '`https://api.openai.com/v1`' },
    model: { type: 'string', doc: 'The model.' },
    messages: { type: 'list', doc: 'The conversation: a list of `{role, content}`.' },
    prompt: { type: 'string', doc: 'One user message, instead of `messages` or after them.' },
    system: { type: 'string', doc: 'One system message, before all other messages.' },
    temperature: { type: 'number', doc: 'Passed to the endpoint unchanged.' },
    max_tokens: { type: 'number', doc: 'Passed to the endpoint unchanged.' },
    response_format: {
      type: 'any',
      doc: '`json`, or a map that Woof passes to the endpoint unchanged. Woof then parses the text.',
    },
    tools: { type: 'list', doc: 'Functions that the model may call, in the format of the endpoint.' },
    options: { type: 'object', doc: 'Additional fields of the request.' },
    stream: {
      type: 'boolean',
      doc: 'If true, Woof writes the text to `woof logs` line by line as it arrives.',
      unset: 'true',
    },
    headers: { type: 'object', doc: 'Request headers.' },
    auth: { type: 'any', doc: 'Credentials, as for [`http`](http.md).' },
    timeout: { type: 'number', doc: 'Seconds for the whole request.', unset: '`spec.timeout`' },
    verify_ssl: { type: 'boolean', doc: 'If false, Woof accepts any certificate.', unset: 'true' },
  },
  needs: [['model'], ['messages', 'prompt']],
};
