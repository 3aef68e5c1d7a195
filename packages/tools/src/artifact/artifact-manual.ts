import type { ToolManual } from '../tool-manual.ts';

export const artifactManual: ToolManual = {
  about: ['Stores a value outside the log, or reads one back.'],
  result: [
    'The result is `{data, uri, size}`. After `put`, `data` is the reference and `uri` is its key. After `get`, `data` is the value: rows if it is an Arrow table, a value if it is JSON, else text, else base64.',
  ],
  errors: [{ kinds: ['storage'], when: 'The value is larger than 64 MiB.' }],
  example: `- keep: {kind: artifact, data: "{{ workload.rows }}"}
- read: {kind: artifact, uri: "{{ keep.uri }}"}
`,
  gives: { partly: true, workload: { rows: [1, 2, 3] }, result: { data: [1, 2, 3], size: 7 } },
};
