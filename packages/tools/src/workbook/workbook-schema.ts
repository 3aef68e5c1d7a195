import type { ToolSchema } from '@woof/net';

/** The worker performs this kind; the schema is here so that the linter knows its fields. */
export const workbookSchema: ToolSchema = {
  kind: 'workbook',
  summary: "Runs a named task of the playbook's workbook section.",
  fields: {
    name: { type: 'string', doc: 'which' },
    args: {
      type: 'object',
      doc: 'values that it sees as `args`, over those of the step; a tool that takes `args` of its own gets them too',
    },
  },
  needs: [['name']],
};
