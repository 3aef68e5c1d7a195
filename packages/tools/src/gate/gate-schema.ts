import type { ToolSchema } from '@woof/net';

export const gateSchema: ToolSchema = {
  kind: 'gate',
  summary: 'Waits until a person approves or rejects, without holding a worker.',
  fields: {
    message: { type: 'string', doc: 'What the person is asked.' },
    approvers: { type: 'list', doc: 'Who may answer; anybody unless set.' },
    timeout_sec: { type: 'number', doc: 'After how many seconds without an answer the gate fails.' },
  },
};
