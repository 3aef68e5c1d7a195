import type { ToolManual } from '../tool-manual.ts';

export const llmManual: ToolManual = {
  about: [
    'Sends a request to a language model, at any endpoint that supports the OpenAI chat protocol (`/chat/completions`).',
  ],
  details: [
    'The output of a model is untrusted data. Do not run it, and do not put it into SQL or commands.',
  ],
  result: [
    'The result is `{text, finish_reason, model, usage}`. It also has `data` if you asked for JSON, and `tool_calls`, each `{id, name, arguments}`, if the model calls functions. `outcome.meta.tokens` is `{input, output, total}`, as far as the endpoint reports them.',
  ],
  errors: [
    { kinds: ['rate_limit'], when: 'Status 429. `retry_after` has the seconds from the header.' },
    {
      kinds: ['auth', 'not_found', 'client_error', 'server_error'],
      when: 'Other statuses. The message contains what the endpoint reports.',
    },
    { kinds: ['server_error'], when: 'The endpoint reports an error while it streams.' },
    { kinds: ['connection'], when: 'Woof could not connect, or the stream broke off.' },
    { kinds: ['timeout'], when: 'No complete response in time.' },
    {
      kinds: ['parse'],
      when: 'The response does not follow the protocol, or is not the JSON that you asked for.',
    },
    { kinds: ['storage'], when: 'The response is larger than 16 MiB.' },
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
