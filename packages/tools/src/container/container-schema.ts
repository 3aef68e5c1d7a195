import type { ToolSchema } from '@woof/net';

export const containerSchema: ToolSchema = {
  kind: 'container',
  summary: 'Runs a program of an image with docker or podman; needs spec.io_policy.allow_shell.',
  runsCode: true,
  fields: {
    image: { type: 'string', doc: 'the image: registry, path, tag or digest' },
    command: {
      type: 'any',
      doc: 'the program and its arguments, a list, or one program',
      unset: 'that of the image',
    },
    args: {
      type: 'list',
      doc: 'a list of arguments, behind those of `command`, or for the program of the image',
    },
    env: {
      type: 'object',
      doc: 'environment variables, over those of `spec.env`; each of one line. They stand on no command line',
    },
    resources: {
      type: 'object',
      doc: '`{memory_mb, cpus, pids}`',
      unset: '`spec.memory_mb`, all processors and 512 processes',
    },
    pull: {
      type: 'string',
      doc: '`missing`: an image that is not here is fetched; `never`: it is an error',
      oneOf: ['missing', 'never'],
      unset: '`missing`',
    },
    timeout_seconds: { type: 'number', doc: 'seconds until it is killed', unset: '`spec.timeout`' },
  },
  needs: [['image']],
};
