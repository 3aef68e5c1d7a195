import type { ToolSchema } from '@woof/net';

export const shellSchema: ToolSchema = {
  kind: 'shell',
  summary: 'Runs shell commands in the sandbox; needs spec.io_policy.allow_shell.',
  runsCode: true,
  fields: {
    cmds: { type: 'any', doc: 'The commands, a list or text; a list stops at its first failure.' },
    command: { type: 'any', doc: 'Another name of cmds.' },
    cwd: { type: 'string', doc: 'A folder under the document’s own, where the commands start.' },
    env: { type: 'object', doc: 'Environment variables, over those of spec.env.' },
    timeout_seconds: {
      type: 'number',
      doc: 'Seconds until the commands are killed; spec.timeout unless set.',
    },
  },
  needs: [['cmds', 'command']],
};
