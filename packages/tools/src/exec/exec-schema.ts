import type { ToolSchema } from '@woof/net';

/** The config of a stage of kind `exec_block`. */
export const execSchema: ToolSchema = {
  kind: 'exec',
  summary: 'Runs programs, one after the other, and keeps the evidence as a bundle.',
  fields: {
    workdir: { type: 'string', doc: 'The folder that commands run in, from the document’s folder.' },
    executor: { type: 'object', doc: 'Where commands run, `{kind: local}` unless set.' },
    commands: {
      type: 'list',
      doc: 'The commands: program, args, cwd, env, timeout_sec, name, allow_failure.',
    },
    halt_on_error: { type: 'boolean', doc: 'Whether the first failure skips the rest, true unless set.' },
    allow_shell: { type: 'boolean', doc: 'Whether shells and inline code are allowed, false unless set.' },
    env: { type: 'object', doc: 'Environment variables of every command.' },
    max_attempts: { type: 'number', doc: 'How often the block may be started, lost workers included.' },
    sandbox: { type: 'boolean', doc: 'Whether commands run isolated, false unless set.' },
    io_policy: {
      type: 'object',
      doc: 'What isolated commands may do: allow_files, allow_network, allow_shell.',
    },
    outputs: { type: 'list', doc: 'Patterns of files that dependents get under `inputs/`.' },
    resumable: { type: 'boolean', doc: 'Whether a lost worker’s finished commands need not run again.' },
    restart: {
      type: 'string',
      oneOf: ['stage', 'command'],
      doc: 'Where a block that was lost starts again, `command` for resumable blocks, else `stage`.',
    },
  },
  needs: [['commands']],
  runsCode: true,
};
