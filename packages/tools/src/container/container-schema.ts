import type { ToolSchema } from '@woof/net';

export const containerSchema: ToolSchema = {
  kind: 'container',
  summary: 'Runs a program in a container with docker or podman. Needs `spec.io_policy.allow_shell`.',
  runsCode: true,
  fields: {
    image: { type: 'string', doc: 'The image: registry, path, and tag or digest.', onCommandLine: true },
    command: {
      type: 'any',
      doc: 'The program and its arguments as a list, or one program as text.',
      unset: 'that of the image',
      onCommandLine: true,
    },
    args: {
      type: 'list',
      doc: 'Arguments after those of `command`, or for the program of the image.',
      onCommandLine: true,
    },
    env: {
      type: 'object',
      doc: 'Environment variables, which override those of `spec.env`. Each value must be a single line. They do not appear on a command line.',
    },
    resources: {
      type: 'object',
      doc: 'Resource limits: `{memory_mb, cpus, pids}`.',
      unset: '`spec.memory_mb`, all processors and 512 processes',
    },
    pull: {
      type: 'string',
      doc: 'If the image is not on the machine, `missing` fetches it and `never` fails the task.',
      oneOf: ['missing', 'never'],
      unset: '`missing`',
    },
    timeout_seconds: {
      type: 'number',
      doc: 'Seconds until Woof kills the container.',
      unset: '`spec.timeout`',
    },
  },
  needs: [['image']],
};
