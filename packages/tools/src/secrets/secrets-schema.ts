import type { ToolSchema } from '@woof/net';

export const secretsSchema: ToolSchema = {
  kind: 'secrets',
  summary: 'Makes sure that an entry of the keychain is there, and names its fields; never its values.',
  fields: {
    name: { type: 'string', doc: 'the entry of the keychain' },
    provider: { type: 'string', doc: 'for readers: the entry itself says where its value comes from' },
    fields: { type: 'list', doc: 'a list of fields that it must have' },
    credential: { type: 'any', doc: 'the entry itself, by a template', unset: '`name`' },
  },
  needs: [['name', 'credential']],
};
