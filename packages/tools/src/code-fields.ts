import type { FieldSchema } from '@woof/net';

/** The fields of tasks in every language that runs in the sandbox: the code and its inputs. */
export const CODE_FIELDS = {
  code: { type: 'string', doc: 'The code.' },
  script: {
    type: 'any',
    insteadOf: 'code',
    doc: "`{uri, source}`: reads the code from a file in the document's folder, from `http` or from `s3`, instead of `code`. See [scripts](../tools.md#scripts).",
  },
  args: {
    type: 'object',
    doc: 'Values for the code, which override the `args` of the step: see [Details](#details).',
  },
  input: { type: 'object', doc: 'Another name for `args`.', sameAs: 'args' },
} as const satisfies Record<string, FieldSchema>;

export const PROCESS_FIELDS = {
  env: { type: 'object', doc: 'Environment variables, which override those of `spec.env`.' },
  timeout_seconds: { type: 'number', doc: 'Seconds until Woof kills the task.', unset: '`spec.timeout`' },
} as const satisfies Record<string, FieldSchema>;
