import type { ToolManual } from '../tool-manual.ts';

export const quantumManual: ToolManual = {
  about: [
    "Circuits of OpenQASM 2.0 on a simulator of woof's own, in the manner of machines elsewhere: a job is submitted, asked for until it is done, and fetched. The simulator holds all amplitudes of up to 20 qubits and knows the gates of `qelib1.inc`, gates that the program defines, `measure`, `reset`, `if` and `barrier`.",
  ],
  details: [
    'A job is a value: any worker can poll and fetch it, after any crash. Polling is a retry while the status is `queued`, or a jump back to a task that waits; [`examples/quantum.yaml`](../../examples/quantum.yaml) sweeps over an angle so.',
  ],
  result: [
    {
      table: [
        ['operation', 'result'],
        ['`submit`', '`{job, id, status}`'],
        ['`poll`', '`{id, status, ready_at}`; the status is `queued` or `done`'],
        [
          '`fetch`, `run`',
          '`{id, status, shots, seed, counts}`, with `memory` also `memory`. `counts` has a word of bits for each outcome, the last register and its last bit first',
        ],
      ],
    },
  ],
  errors: [
    { kinds: ['parse'], when: 'the program cannot be read; the message names the line' },
    {
      kinds: ['not_found'],
      when: '`fetch` of a job that is still queued; the code is `not_ready`',
      retryable: 'yes',
    },
    { kinds: ['client_error'], when: 'it would take too long: many qubits, gates and shots together' },
  ],
  example: `- bell:
    kind: quantum
    operation: run
    shots: 1000
    program: |
      OPENQASM 2.0;
      include "qelib1.inc";
      qreg q[2];
      creg c[2];
      h q[0];
      cx q[0],q[1];
      measure q -> c;
`,
  gives: { partly: true, result: { status: 'done', shots: 1000, seed: 0, counts: { '00': 502, '11': 498 } } },
};
