import type { ToolSchema } from '@woof/net';

/** The worker performs this kind; the schema is here so that the linter knows its fields. */
export const playbookSchema: ToolSchema = {
  kind: 'playbook',
  summary: 'Runs another playbook as a child execution.',
  fields: {
    path: { type: 'string', doc: 'A file beside this one, or a path of the catalogue.' },
    version: { type: 'any', doc: 'The version in the catalogue; the newest unless set.' },
    args: { type: 'object', doc: "Values laid over the child's workload." },
    payload: { type: 'object', doc: 'Another name of args.' },
    return_step: { type: 'string', doc: "The step whose result becomes this task's result." },
  },
  needs: [['path']],
};
