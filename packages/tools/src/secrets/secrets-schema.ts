import type { ToolSchema } from '@woof/net';

export const secretsSchema: ToolSchema = {
  kind: 'secrets',
  summary: 'Makes sure that an entry of the keychain is there, and names its fields; never its values.',
  fields: {
    name: { type: 'string', doc: 'The entry of the keychain.' },
    provider: { type: 'string', doc: 'For readers: the entry itself says where its value comes from.' },
    fields: { type: 'list', doc: 'Fields that it must have.' },
    credential: { type: 'any', doc: 'The entry itself, by a template; name unless set.' },
  },
  needs: [['name', 'credential']],
};
