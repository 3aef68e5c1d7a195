import type { ToolSchema } from '@woof/net';

export const waitSchema: ToolSchema = {
  kind: 'wait',
  summary: 'Waits for some seconds or until a time, without occupying a worker.',
  fields: {
    seconds: { type: 'number', doc: 'How many seconds to wait.' },
    until: {
      type: 'string',
      insteadOf: 'seconds',
      doc: 'The time to wait for, as ISO 8601: `2030-01-31T09:00:00Z`.',
    },
  },
  needs: [['seconds', 'until']],
  anywhere: true,
};
