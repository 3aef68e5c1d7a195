import type { ToolSchema } from '@woof/net';

export const gateSchema: ToolSchema = {
  kind: 'gate',
  summary: 'Waits for approval without occupying a worker.',
  fields: {
    message: { type: 'string', doc: 'The question for the approver.' },
    approvers: {
      type: 'list',
      doc: 'A list of names. Only answers from these people count.',
      unset: 'anyone',
    },
    timeout_sec: {
      type: 'number',
      doc: 'Seconds without an answer after which the task fails with an error of kind `timeout`.',
      unset: 'never',
    },
  },
};
