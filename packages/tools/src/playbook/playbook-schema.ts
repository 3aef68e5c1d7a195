import type { ToolSchema } from '@woof/net';

/** The worker performs this kind; the schema is here so that the linter knows its fields. */
export const playbookSchema: ToolSchema = {
  kind: 'playbook',
  summary: 'Runs another playbook as a child execution.',
  fields: {
    path: {
      type: 'string',
      doc: 'a file, from the folder of this one; else the `metadata.path` of a playbook in that folder, or in the catalogue of the server',
    },
    args: { type: 'object', doc: "values laid over the child's `workload`" },
    payload: { type: 'object', doc: 'another name of `args`', sameAs: 'args' },
    return_step: { type: 'string', doc: "the step whose result becomes this task's result" },
    version: { type: 'any', doc: 'has no effect in this version' },
  },
  needs: [['path']],
};
