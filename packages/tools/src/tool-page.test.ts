import { expect, it } from 'vitest';
import { toolPage } from './tool-page.ts';

it('lists every field with its names, type, default and meaning, and whether it is required', () => {
  const page = toolPage({
    kind: 'send',
    summary: 'Sends.',
    fields: {
      to: { type: 'string', doc: 'whom' },
      recipient: { type: 'string', doc: 'another name of `to`', sameAs: 'to' },
      text: { type: 'string', doc: 'a | b\nand c' },
      file: { type: 'object', doc: 'in place of `text`' },
      tries: { type: 'number', doc: 'how often', unset: '3' },
    },
    needs: [
      ['to', 'recipient'],
      ['text', 'file'],
    ],
    runsCode: true,
  });
  expect(page).toBe(`# \`send\`

Sends.

## Fields

| Field | Type | Default | Meaning |
|---|---|---|---|
| \`to\`, \`recipient\` | text | required | whom |
| \`text\` | text | | a \\| b and c |
| \`file\` | map | | in place of \`text\` |
| \`tries\` | number | 3 | how often |

One of these is required: \`text\`, \`file\`.

\`spec.io_policy\` sets what the task may do.
`);
});

it('does not break code over lines, and says what may be retried', () => {
  const code = '`then: {do: jump, to: fetch, set_iter: {url: "{{ outcome.result.next_url }}"}}`';
  const page = toolPage(
    { kind: 'x', summary: '', fields: {} },
    {
      about: [`${'word '.repeat(20)}${code} end`],
      result: [],
      errors: [
        { kinds: ['timeout', 'connection'], when: 'late' },
        { kinds: ['auth', 'rate_limit'], when: 'refused' },
        { kinds: ['connection'], when: 'never', retryable: 'no' },
      ],
      example: '- x: {kind: x}',
    },
  );
  expect(page).toContain(`\n${code} end\n`);
  expect(page).toContain('| `timeout`, `connection` | late | yes |');
  expect(page).toContain('| `auth`, `rate_limit` | refused | `rate_limit` |');
  expect(page).toContain('| `connection` | never | no |');
});
