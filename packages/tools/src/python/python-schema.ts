import type { ToolSchema } from '@woof/net';

export const pythonSchema: ToolSchema = {
  kind: 'python',
  summary:
    'Runs Python code in the sandbox; gives `result`, else what `main(**args)` returns, else its output.',
  runsCode: true,
  fields: {
    code: { type: 'string', doc: 'The Python code.' },
    script: { type: 'object', doc: '{uri}: a Python file under the document’s folder, in place of code.' },
    args: { type: 'object', doc: 'Values bound as globals, as the dict input_data, and to main() by name.' },
    input: { type: 'object', doc: 'Another name of args.' },
    libs: { type: 'object', doc: 'Modules to import: {name: module}, e.g. {np: numpy}.' },
    env: { type: 'object', doc: 'Environment variables, over those of spec.env.' },
    timeout_seconds: { type: 'number', doc: 'Seconds until the task is killed; spec.timeout unless set.' },
  },
  needs: [['code', 'script']],
};
