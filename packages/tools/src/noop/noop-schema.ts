import type { ToolSchema } from '@woof/net';

export const noopSchema: ToolSchema = {
  kind: 'noop',
  summary: 'Does nothing and returns a result.',
  pure: true,
  fields: {
    result: { type: 'any', doc: 'The result.', unset: 'null', stored: 'kept' },
  },
  anywhere: true,
};
