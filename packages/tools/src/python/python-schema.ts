import type { ToolSchema } from '@woof/net';

export const pythonSchema: ToolSchema = {
  kind: 'python',
  summary:
    'Runs Python code in the sandbox; gives `result`, else what `main(**args)` returns, else its output.',
  runsCode: true,
  fields: {
    code: { type: 'string', doc: 'the code' },
    script: {
      type: 'object',
      doc: "`{uri: file.py}`: a file under the document's folder, in place of `code`",
    },
    args: {
      type: 'object',
      doc: 'values: bound as globals, as the dict `input_data`, and to the parameters of `main`',
    },
    input: { type: 'object', doc: 'another name of `args`', sameAs: 'args' },
    libs: { type: 'object', doc: 'modules to import, by name: `{np: numpy}`' },
    env: { type: 'object', doc: 'environment variables, over those of `spec.env`' },
    timeout_seconds: { type: 'number', doc: 'seconds until the task is killed', unset: '`spec.timeout`' },
  },
  needs: [['code', 'script']],
};
