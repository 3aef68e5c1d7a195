import type { ToolSchema } from '@woof/net';

export const shellSchema: ToolSchema = {
  kind: 'shell',
  summary: 'Runs shell commands in the sandbox; needs spec.io_policy.allow_shell.',
  runsCode: true,
  fields: {
    cmds: { type: 'any', doc: 'the commands: text, or a list that stops at its first failure' },
    command: { type: 'any', doc: 'another name of `cmds`', sameAs: 'cmds' },
    script: {
      type: 'any',
      doc: "`{uri, source}`: the commands from a file of the document's folder, from `http` or from `s3`, in place of `cmds`: see [scripts](../tools.md#scripts)",
    },
    cwd: { type: 'string', doc: "a folder under the document's own, where they start; needs `allow_files`" },
    env: { type: 'object', doc: 'environment variables, over those of `spec.env`' },
    timeout_seconds: {
      type: 'number',
      doc: 'seconds until the commands are killed',
      unset: '`spec.timeout`',
    },
  },
  needs: [['cmds', 'command', 'script']],
};
