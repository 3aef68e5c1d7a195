import type { ToolSchema } from '@woof/net';

export const quantumSchema: ToolSchema = {
  kind: 'quantum',
  summary:
    'Submits OpenQASM to a simulator on this machine; asks for the status of a job; fetches its counts.',
  fields: {
    operation: {
      type: 'string',
      doc: '`submit`, `poll`, `fetch`, or `run`, which is all three at once',
      oneOf: ['submit', 'poll', 'fetch', 'run'],
      unset: '`submit`',
    },
    action: {
      type: 'string',
      doc: 'another name of `operation`',
      sameAs: 'operation',
      oneOf: ['submit', 'poll', 'fetch', 'run'],
    },
    program: { type: 'string', doc: 'with `submit` and `run`: the circuit' },
    qasm: { type: 'string', doc: 'another name of `program`', sameAs: 'program' },
    parameters: { type: 'object', doc: 'numbers that stand in the program as `{name}`: for sweeps' },
    shots: { type: 'number', doc: 'how often it is measured, 1,000,000 at most', unset: '1024' },
    seed: {
      type: 'number',
      doc: 'what chance begins with, a whole number; equal seeds give equal counts',
      unset: '0',
    },
    delay: {
      type: 'number',
      doc: 'with `submit`: seconds that the job stays queued, as on a machine that others use',
      unset: '0',
    },
    job: { type: 'any', doc: 'with `poll` and `fetch`: what `submit` gave' },
    memory: {
      type: 'boolean',
      doc: 'with `fetch` and `run`: every shot in order too',
    },
    timeout: { type: 'number', doc: 'seconds for the whole task', unset: '`spec.timeout`' },
  },
};
