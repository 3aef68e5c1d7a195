import type { ToolManual } from '../tool-manual.ts';

export const quantumManual: ToolManual = {
  about: [
    "Runs OpenQASM 2.0 circuits on Woof's own simulator. It works like a remote machine: you submit a job, poll it until it is done, and fetch its result. The simulator holds all amplitudes of up to 20 qubits. It supports the gates of `qelib1.inc`, gates that the program defines, `measure`, `reset`, `if` and `barrier`.",
  ],
  details: [
    'A job is a value, so any worker can poll and fetch it, even after a crash. To poll, retry while the status is `queued`, or jump back to a task that waits. [`examples/quantum.yaml`](../../examples/quantum.yaml) sweeps over an angle in this way.',
  ],
  result: [
    {
      table: [
        ['Operation', 'Result'],
        ['`submit`', '`{job, id, status}`'],
        ['`poll`', '`{id, status, ready_at}`. `status` is `queued` or `done`.'],
        [
          '`fetch`, `run`',
          '`{id, status, shots, seed, counts}`, and `memory` if you set `memory`. `counts` has one bit string per outcome, with the last register and its last bit first.',
        ],
      ],
    },
  ],
  errors: [
    { kinds: ['parse'], when: 'Woof cannot read the program. The message names the line.' },
    {
      kinds: ['not_found'],
      when: 'The job to fetch is still queued. The code is `not_ready`.',
      retryable: 'yes',
    },
    {
      kinds: ['client_error'],
      when: 'The qubits, gates and shots together would make the simulation take too long.',
    },
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
