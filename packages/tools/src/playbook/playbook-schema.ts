import type { ToolSchema } from '@woof/net';

/** The worker performs this kind; the schema is here so that the linter knows its fields. */
export const playbookSchema: ToolSchema = {
  kind: 'playbook',
  summary: 'Runs another playbook as a separate run.',
  fields: {
    path: {
      type: 'string',
      doc: 'A file, relative to the folder of this playbook. If it does not exist, the `metadata.path` of a playbook in that folder or in the catalogue of the server.',
    },
    args: { type: 'object', doc: "Values that override those of the child's `workload`.", stored: 'fields' },
    payload: { type: 'object', doc: 'Another name for `args`.', sameAs: 'args', stored: 'fields' },
    return_step: { type: 'string', doc: "The step of the child whose result becomes this task's result." },
    version: {
      type: 'string',
      doc: 'Woof always runs the file as it is, or the newest version in the catalogue. Any other value is an error.',
      oneOf: ['latest'],
      unset: '`latest`',
    },
  },
  needs: [['path']],
  keepsInput: true,
};
