import type { ToolManual } from '../tool-manual.ts';

export const llmManual: ToolManual = {
  about: [
    'Asks a language model, at any endpoint that speaks the chat protocol of OpenAI (`/chat/completions`).',
  ],
  details: [
    'What a model says is data that somebody else wrote: do not run it, and do not put it into SQL or commands.',
  ],
  result: [
    'The result is `{text, finish_reason, model, usage}`, with `data` where JSON was asked for, and `tool_calls`, each `{id, name, arguments}`, where the model asks for functions. `outcome.meta.tokens` is `{input, output, total}`, as far as the endpoint counts them.',
  ],
  errors: [
    { kinds: ['rate_limit'], when: '429; `retry_after` has the seconds of the header' },
    {
      kinds: ['auth', 'not_found', 'client_error', 'server_error'],
      when: 'other statuses, with what the endpoint says',
    },
    { kinds: ['server_error'], when: 'the endpoint reports an error while it streams' },
    { kinds: ['connection'], when: 'no connection, or a stream that ends in the middle' },
    { kinds: ['timeout'], when: 'no whole answer in time' },
    {
      kinds: ['parse'],
      when: 'the answer is not what the protocol says, or not the JSON that was asked for',
    },
    { kinds: ['storage'], when: 'the answer has more than 16 MiB' },
  ],
  example: `- summary:
    kind: llm
    base_url: "{{ workload.models }}"
    model: small
    system: Answer in one sentence.
    prompt: "What happened? {{ workload.report | tojson }}"
`,
  gives: {
    partly: true,
    workload: { report: { errors: 0 } },
    result: { text: 'All is well.', finish_reason: 'stop', model: 'small' },
  },
};
