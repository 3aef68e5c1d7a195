import type { ToolSchema } from '@woof/net';

export const gateSchema: ToolSchema = {
  kind: 'gate',
  summary: 'Waits until a person approves or rejects, without holding a worker.',
  fields: {
    message: { type: 'string', doc: 'what the person is asked' },
    approvers: { type: 'list', doc: 'a list of names: only their answers count', unset: 'anybody' },
    timeout_sec: {
      type: 'number',
      doc: 'after so many seconds without an answer the task fails with an error of the kind `timeout`',
      unset: 'never',
    },
  },
};
