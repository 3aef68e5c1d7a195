import type { ToolSchema } from '@woof/net';

export const rSchema: ToolSchema = {
  kind: 'r',
  summary: 'Runs R code in the sandbox; gives `result`, else what `main(…)` returns, else its output.',
  runsCode: true,
  fields: {
    code: { type: 'string', doc: 'the code' },
    script: {
      type: 'any',
      doc: "`{uri, source}`: the code from a file of the document's folder, from `http` or from `s3`, in place of `code`: see [scripts](../tools.md#scripts)",
    },
    args: {
      type: 'object',
      doc: 'values for the code, laid over the `args` of the step: see [Details](#details)',
    },
    input: { type: 'object', doc: 'another name of `args`', sameAs: 'args' },
    env: { type: 'object', doc: 'environment variables, over those of `spec.env`' },
    timeout_seconds: { type: 'number', doc: 'seconds until the task is killed', unset: '`spec.timeout`' },
  },
  needs: [['code', 'script']],
};
