import type { ToolSchema } from '@woof/net';

export const shellSchema: ToolSchema = {
  kind: 'shell',
  summary: 'Runs shell commands in the sandbox. Needs `spec.io_policy.allow_shell`.',
  runsCode: true,
  fields: {
    cmds: { type: 'any', doc: 'The commands: text, or a list that stops at the first failure.' },
    command: { type: 'any', doc: 'Another name for `cmds`.', sameAs: 'cmds' },
    script: {
      type: 'any',
      insteadOf: 'cmds',
      doc: "`{uri, source}`: reads the commands from a file in the document's folder, from `http` or from `s3`, instead of `cmds`. See [scripts](../tools.md#scripts).",
    },
    cwd: { type: 'string', doc: "The working directory, under the document's folder. Needs `allow_files`." },
    env: { type: 'object', doc: 'Environment variables, which override those of `spec.env`.' },
    timeout_seconds: {
      type: 'number',
      doc: 'Seconds until Woof kills the commands.',
      unset: '`spec.timeout`',
    },
  },
  needs: [['cmds', 'command', 'script']],
};
