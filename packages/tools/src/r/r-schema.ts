import type { ToolSchema } from '@woof/net';
import { CODE_FIELDS, PROCESS_FIELDS } from '../code-fields.ts';

export const rSchema: ToolSchema = {
  kind: 'r',
  summary: 'Runs R code in the sandbox. Returns `result`, else what `main(…)` returns, else its output.',
  runsCode: true,
  fields: {
    ...CODE_FIELDS,
    ...PROCESS_FIELDS,
  },
  needs: [['code', 'script']],
};
