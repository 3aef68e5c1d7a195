import type { ToolSchema } from '@woof/net';

export const llmSchema: ToolSchema = {
  kind: 'llm',
  summary: 'Asks a language model at any endpoint that speaks the chat protocol of OpenAI.',
  fields: {
    base_url: { type: 'string', doc: 'where the API begins', unset: '`https://api.openai.com/v1`' },
    model: { type: 'string', doc: 'the model' },
    messages: { type: 'list', doc: 'the conversation: a list of `{role, content}`' },
    prompt: { type: 'string', doc: 'one message of the user, in place of `messages` or after them' },
    system: { type: 'string', doc: 'one message of the system, before all others' },
    temperature: { type: 'number', doc: 'as the endpoint takes it' },
    max_tokens: { type: 'number', doc: 'as the endpoint takes it' },
    response_format: {
      type: 'any',
      doc: '`json`, or a map as the endpoint takes it; the text is then parsed',
    },
    tools: { type: 'list', doc: 'functions that the model may ask for, as the endpoint takes them' },
    options: { type: 'object', doc: 'a map of further fields of the request' },
    stream: {
      type: 'boolean',
      doc: 'whether the text goes to `woof logs` as it comes, line by line',
      unset: 'true',
    },
    headers: { type: 'object', doc: 'a map of request headers' },
    auth: { type: 'any', doc: 'credentials, as for [`http`](http.md)' },
    timeout: { type: 'number', doc: 'seconds for the whole request', unset: '`spec.timeout`' },
    verify_ssl: { type: 'boolean', doc: 'false accepts any certificate', unset: 'true' },
  },
  needs: [['model'], ['messages', 'prompt']],
};
