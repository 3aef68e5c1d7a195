import type { ToolSchema } from '@woof/net';

export const waitSchema: ToolSchema = {
  kind: 'wait',
  summary: 'Waits for a while, or until a time, without holding a worker.',
  fields: {
    seconds: { type: 'number', doc: 'How long to wait, in seconds.' },
    until: { type: 'string', doc: 'The ISO 8601 time to wait for, e.g. 2030-01-31T09:00:00Z.' },
  },
  needs: [['seconds', 'until']],
};
