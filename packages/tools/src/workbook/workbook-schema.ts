import type { ToolSchema } from '@woof/net';

/** The worker performs this kind; the schema is here so that the linter knows its fields. */
export const workbookSchema: ToolSchema = {
  kind: 'workbook',
  summary: "Runs a named task of the playbook's workbook section.",
  fields: {
    name: { type: 'string', doc: 'The name of the task in the workbook section.' },
    args: { type: 'object', doc: 'Values that the named task sees as args.' },
  },
  needs: [['name']],
};
