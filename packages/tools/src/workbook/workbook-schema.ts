import type { ToolSchema } from '@woof/net';

/** The worker performs this kind; the schema is here so that the linter knows its fields. */
export const workbookSchema: ToolSchema = {
  kind: 'workbook',
  summary: "Runs a named task from the playbook's `workbook` section.",
  fields: {
    name: { type: 'string', doc: 'The name of the task.' },
    args: {
      type: 'object',
      doc: 'Values that the named task reads as `args`. They override those of the step. A tool that has its own field `args` receives them too.',
      stored: 'fields',
    },
  },
  needs: [['name']],
};
