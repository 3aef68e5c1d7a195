import type { ToolManual } from '../tool-manual.ts';

export const noopManual: ToolManual = {
  about: [
    'Does nothing and returns a result. Use it to compute with templates, to write `ctx`, or to decide.',
  ],
  result: ['The value of `result`.'],
  errors: [],
  example: `- names: {kind: noop, result: "{{ workload.users | map(attribute='name') | list }}"}
`,
  gives: { workload: { users: [{ name: 'Ada' }, { name: 'Grace' }] }, result: ['Ada', 'Grace'] },
};
