import type { ToolSchema } from '@woof/net';

export const llmSchema: ToolSchema = {
  kind: 'llm',
  summary: 'Asks a language model at any endpoint that speaks the chat protocol of OpenAI.',
  fields: {
    base_url: { type: 'string', doc: 'Where the API begins; https://api.openai.com/v1 unless set.' },
    model: { type: 'string', doc: 'The model.' },
    messages: { type: 'list', doc: 'The conversation: [{role, content}, …].' },
    prompt: { type: 'string', doc: 'One message of the user, in place of messages or after them.' },
    system: { type: 'string', doc: 'One message of the system, before all others.' },
    temperature: { type: 'number', doc: 'As the endpoint takes it.' },
    max_tokens: { type: 'number', doc: 'As the endpoint takes it.' },
    response_format: {
      type: 'any',
      doc: 'json, or a map as the endpoint takes it; the text is then parsed.',
    },
    tools: { type: 'list', doc: 'Functions that the model may ask for, as the endpoint takes them.' },
    options: { type: 'object', doc: 'Further fields of the request.' },
    stream: { type: 'boolean', doc: 'True unless set: the text goes to the log as it comes.' },
    headers: { type: 'object', doc: 'Request headers.' },
    auth: { type: 'any', doc: 'Credentials, as for http.' },
    timeout: { type: 'number', doc: 'Seconds for the whole request; spec.timeout unless set.' },
    verify_ssl: { type: 'boolean', doc: 'True unless set; false accepts any certificate.' },
  },
  needs: [['model'], ['messages', 'prompt']],
};
