import type { FieldSchema } from '@woof/net';

/** What tasks of every language that runs in the sandbox take: the code, and what it gets. */
export const CODE_FIELDS = {
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
} as const satisfies Record<string, FieldSchema>;

export const PROCESS_FIELDS = {
  env: { type: 'object', doc: 'environment variables, over those of `spec.env`' },
  timeout_seconds: { type: 'number', doc: 'seconds until the task is killed', unset: '`spec.timeout`' },
} as const satisfies Record<string, FieldSchema>;
