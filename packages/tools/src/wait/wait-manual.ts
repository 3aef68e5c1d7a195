import type { ToolManual } from '../tool-manual.ts';

export const waitManual: ToolManual = {
  about: ['Waits without holding a worker; the end of the wait is in the log.'],
  result: ['The result is `{waited_seconds, until}`.'],
  errors: [{ kinds: ['timeout'], when: '`spec.timeout` is over before the wait is' }],
  example: `- night: {kind: wait, until: "2030-01-31T09:00:00Z"}
`,
};
