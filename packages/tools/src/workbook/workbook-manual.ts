import type { ToolManual } from '../tool-manual.ts';

export const workbookManual: ToolManual = {
  about: [
    "Runs a named task from the playbook's `workbook` section: see [Playbooks](../playbooks.md#named-tasks).",
  ],
  result: ['The outcome is that of the named task.'],
  errors: [],
  example: `- price: {kind: workbook, name: price, args: {amount: 100, tax: 0.19}}
`,
  gives: { result: 119 },
};
