import type { ToolSchema } from '@woof/net';

export const secretsSchema: ToolSchema = {
  kind: 'secrets',
  summary: 'Checks that a keychain entry exists, and returns the names of its fields but never their values.',
  fields: {
    name: { type: 'string', doc: 'The keychain entry.' },
    provider: { type: 'string', doc: 'For readers only. The entry itself says where its value comes from.' },
    fields: { type: 'list', doc: 'The fields that the entry must have.' },
    credential: { type: 'any', doc: 'The entry itself, as a template.', unset: '`name`' },
  },
  needs: [['name', 'credential']],
  credentialFrom: 'name',
};
