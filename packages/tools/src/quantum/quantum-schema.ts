import type { ToolSchema } from '@woof/net';

export const quantumSchema: ToolSchema = {
  kind: 'quantum',
  summary:
    'Submits OpenQASM to a simulator on this machine; asks for the status of a job; fetches its counts.',
  fields: {
    operation: {
      type: 'string',
      doc: 'submit (unless set), poll, fetch or run, which is all three at once.',
      oneOf: ['submit', 'poll', 'fetch', 'run'],
    },
    action: { type: 'string', doc: 'The same as operation.', oneOf: ['submit', 'poll', 'fetch', 'run'] },
    program: { type: 'string', doc: 'With submit and run: the circuit, OpenQASM 2.0, up to 20 qubits.' },
    qasm: { type: 'string', doc: 'The same as program.' },
    parameters: { type: 'object', doc: 'Numbers that stand in the program as {name}: for sweeps.' },
    shots: { type: 'number', doc: 'How often it is measured; 1024 unless set, 1000000 at most.' },
    seed: { type: 'number', doc: 'What chance begins with: equal seeds give equal counts; 0 unless set.' },
    delay: {
      type: 'number',
      doc: 'With submit: seconds that the job stays queued, as on a machine that others use; 0 unless set.',
    },
    job: { type: 'any', doc: 'With poll and fetch: what submit gave.' },
    memory: {
      type: 'boolean',
      doc: 'With fetch and run: every shot in order too, by reference where that is much.',
    },
    timeout: { type: 'number', doc: 'Seconds for the whole task; spec.timeout unless set.' },
  },
};
