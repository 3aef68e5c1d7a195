import type { ToolSchema } from '@woof/net';

/** The config of a stage of kind `exec_block`. */
export const execSchema: ToolSchema = {
  kind: 'exec',
  summary: 'Runs programs one after the other and records the evidence in a bundle.',
  fields: {
    workdir: {
      type: 'string',
      doc: 'The directory that commands run in, relative to the document’s folder.',
    },
    executor: { type: 'object', doc: 'Where commands run. The default is `{kind: local}`.' },
    commands: {
      type: 'list',
      doc: 'The commands: program, args, cwd, env, timeout_sec, name, allow_failure.',
    },
    halt_on_error: {
      type: 'boolean',
      doc: 'If true (the default), the first failure skips the remaining commands.',
    },
    allow_shell: {
      type: 'boolean',
      doc: 'If true, shells and inline code are allowed. The default is false.',
    },
    env: { type: 'object', doc: 'Environment variables of every command.' },
    max_attempts: {
      type: 'number',
      doc: 'How often the block can be started, including after a lost worker.',
    },
    sandbox: { type: 'boolean', doc: 'If true, commands run sandboxed. The default is false.' },
    io_policy: {
      type: 'object',
      doc: 'What sandboxed commands may do: allow_files, allow_network, allow_shell.',
    },
    outputs: { type: 'list', doc: 'Patterns of files that dependent stages receive under `inputs/`.' },
    resumable: {
      type: 'boolean',
      doc: 'If true, commands that finished before a worker was lost do not run again.',
    },
    restart: {
      type: 'string',
      oneOf: ['stage', 'command'],
      doc: 'Where a lost block starts again. The default is `command` for resumable blocks and `stage` for others.',
    },
  },
  needs: [['commands']],
  runsCode: true,
};
