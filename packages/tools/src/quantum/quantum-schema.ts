import type { ToolSchema } from '@woof/net';

export const quantumSchema: ToolSchema = {
  kind: 'quantum',
  summary:
    'Submits OpenQASM to a simulator on this machine, reads the status of a job, and fetches its counts.',
  fields: {
    operation: {
      type: 'string',
      doc: '`submit`, `poll`, `fetch`, or `run`, which does all three.',
      oneOf: ['submit', 'poll', 'fetch', 'run'],
      unset: '`submit`',
    },
    action: {
      type: 'string',
      doc: 'Another name for `operation`.',
      sameAs: 'operation',
      oneOf: ['submit', 'poll', 'fetch', 'run'],
    },
    program: { type: 'string', doc: 'With `submit` and `run`: the circuit.' },
    qasm: { type: 'string', doc: 'Another name for `program`.', sameAs: 'program' },
    parameters: {
      type: 'object',
      doc: 'Numbers that replace `{name}` in the program, for parameter sweeps.',
    },
    shots: {
      type: 'number',
      doc: 'How many times the circuit is measured, at most 1,000,000.',
      unset: '1024',
    },
    seed: {
      type: 'number',
      doc: 'The seed of the random numbers, an integer. The same seed produces the same counts.',
      unset: '0',
    },
    delay: {
      type: 'number',
      doc: 'With `submit`: seconds that the job stays queued, as on a shared machine.',
      unset: '0',
    },
    job: { type: 'any', doc: 'With `poll` and `fetch`: the `job` that `submit` returned.' },
    memory: {
      type: 'boolean',
      doc: 'With `fetch` and `run`: if true, the result also has every shot in order.',
    },
    timeout: { type: 'number', doc: 'Seconds for the whole task.', unset: '`spec.timeout`' },
  },
};
