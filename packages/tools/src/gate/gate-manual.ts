import type { ToolManual } from '../tool-manual.ts';

export const gateManual: ToolManual = {
  about: [
    'Waits until a person says `woof approve RUN STEP` or `woof reject RUN STEP`, without holding a worker. Until then the step is `needs_human`; `spec.timeout` does not count while it waits, `timeout_sec` does.',
  ],
  result: [
    'The result is `{approved_by, note, at}`. A rejection is an error of the kind `policy` with the code `rejected`.',
  ],
  errors: [
    { kinds: ['policy'], when: 'somebody rejected it; the code is `rejected`' },
    { kinds: ['timeout'], when: 'nobody answered in time', retryable: 'no' },
  ],
  example: `- ask: {kind: gate, message: "Deploy {{ version }}?", approvers: [ada, grace], timeout_sec: 86400}
`,
};
