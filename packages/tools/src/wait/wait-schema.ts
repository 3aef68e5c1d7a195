import type { ToolSchema } from '@woof/net';

export const waitSchema: ToolSchema = {
  kind: 'wait',
  summary: 'Waits for a while, or until a time, without holding a worker.',
  fields: {
    seconds: { type: 'number', doc: 'how long' },
    until: { type: 'string', doc: 'until when, as ISO 8601: `2030-01-31T09:00:00Z`' },
  },
  needs: [['seconds', 'until']],
};
