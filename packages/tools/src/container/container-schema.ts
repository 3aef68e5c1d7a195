import type { ToolSchema } from '@woof/net';

export const containerSchema: ToolSchema = {
  kind: 'container',
  summary: 'Runs a program of an image with docker or podman; needs spec.io_policy.allow_shell.',
  runsCode: true,
  fields: {
    image: { type: 'string', doc: 'The image: registry, path, tag or digest.' },
    command: {
      type: 'any',
      doc: 'The program and its arguments, a list, or one program; that of the image unless set.',
    },
    args: { type: 'list', doc: 'Arguments, behind those of command, or for the program of the image.' },
    env: { type: 'object', doc: 'Environment variables, over those of spec.env; each of one line.' },
    resources: {
      type: 'object',
      doc: '{memory_mb, cpus, pids}; spec.memory_mb, all processors and 512 processes unless set.',
    },
    pull: {
      type: 'string',
      doc: 'missing (unless set): an image that is not here is fetched; never: it is an error.',
      oneOf: ['missing', 'never'],
    },
    timeout_seconds: { type: 'number', doc: 'Seconds until it is killed; spec.timeout unless set.' },
  },
  needs: [['image']],
};
