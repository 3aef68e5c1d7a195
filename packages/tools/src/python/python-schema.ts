import type { ToolSchema } from '@woof/net';
import { CODE_FIELDS, PROCESS_FIELDS } from '../code-fields.ts';

export const pythonSchema: ToolSchema = {
  kind: 'python',
  summary:
    'Runs Python code in the sandbox. Returns `result`, else what `main(**args)` returns, else its output.',
  runsCode: true,
  fields: {
    ...CODE_FIELDS,
    libs: { type: 'any', doc: 'Modules to import: see [Details](#details).' },
    ...PROCESS_FIELDS,
  },
  needs: [['code', 'script']],
  anywhere: true,
};
