import type { ToolManual } from '../tool-manual.ts';

export const artifactManual: ToolManual = {
  about: ['Keeps a value beside the log, or reads one back.'],
  result: [
    'The result is `{data, uri, size}`. After `put`, `data` is the reference and `uri` its key; after `get`, `data` is the value: rows where it is a table of Arrow, JSON where it is JSON, else text, else base64.',
  ],
  errors: [{ kinds: ['storage'], when: 'the value has more than 64 MiB' }],
  example: `- keep: {kind: artifact, data: "{{ workload.rows }}"}
- read: {kind: artifact, uri: "{{ keep.uri }}"}
`,
  gives: { partly: true, workload: { rows: [1, 2, 3] }, result: { data: [1, 2, 3], size: 7 } },
};
