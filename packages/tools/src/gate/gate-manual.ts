import type { ToolManual } from '../tool-manual.ts';

export const gateManual: ToolManual = {
  about: [
    'Waits until someone runs `woof approve RUN STEP` or `woof reject RUN STEP`, without occupying a worker. Until then, the status of the step is `needs_human`. The time spent waiting counts towards `timeout_sec`, but not towards `spec.timeout`.',
  ],
  result: [
    'The result is `{approved_by, note, at}`. A rejection is an error of kind `policy` with the code `rejected`.',
  ],
  errors: [
    { kinds: ['policy'], when: 'Someone rejected the step. The code is `rejected`.' },
    { kinds: ['timeout'], when: 'Nobody answered in time.', retryable: 'no' },
  ],
  example: `- ask: {kind: gate, message: "Deploy {{ version }}?", approvers: [ada, grace], timeout_sec: 86400}
`,
};
