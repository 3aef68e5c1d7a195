import type { ToolManual } from '../tool-manual.ts';

export const waitManual: ToolManual = {
  about: ['Waits without occupying a worker. The log records when the wait ends.'],
  result: ['The result is `{waited_seconds, until}`.'],
  errors: [{ kinds: ['timeout'], when: '`spec.timeout` ends before the wait does.' }],
  example: `- night: {kind: wait, until: "2030-01-31T09:00:00Z"}
`,
};
