import type { ToolManual } from '../tool-manual.ts';

export const secretsManual: ToolManual = {
  about: ['Makes sure that an entry of the [keychain](../secrets.md) is there before work begins.'],
  result: [
    'What a task gives is kept in the log, so the result names the fields and holds no value: `{name, fields}`. Values are for templates in the fields of other tasks: `{{ keychain.name.field }}`.',
  ],
  errors: [{ kinds: ['not_found'], when: 'there is no such entry, or a field of it is missing' }],
  example: `- check: {kind: secrets, name: database, fields: [user, password]}
`,
};
