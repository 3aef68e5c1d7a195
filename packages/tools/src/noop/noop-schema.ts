import type { ToolSchema } from '@woof/net';

export const noopSchema: ToolSchema = {
  kind: 'noop',
  summary: 'Does nothing and gives a result.',
  pure: true,
  fields: {
    result: { type: 'any', doc: 'the result', unset: 'null', stored: 'kept' },
  },
};
