import type { ToolManual } from '../tool-manual.ts';

export const secretsManual: ToolManual = {
  about: ['Checks that a [keychain](../secrets.md) entry exists before other work begins.'],
  result: [
    'The log keeps what a task returns, so the result has the names of the fields and no values: `{name, fields}`. To use a value, write a template in a field of another task: `{{ keychain.name.field }}`.',
  ],
  errors: [{ kinds: ['not_found'], when: 'The entry, or one of the fields, does not exist.' }],
  example: `- check: {kind: secrets, name: database, fields: [user, password]}
`,
};
