import type { ToolManual } from '../tool-manual.ts';

export const containerManual: ToolManual = {
  about: [
    'Runs a program of an image, in a container of its own that is removed when it ends, with docker or podman, whichever answers first. Without one of them the task is refused, with what each of them says. Running programs needs `io_policy.allow_shell`.',
  ],
  details: [
    "The root of the container is read-only, with a `/tmp` of 1 GiB, no capabilities and no way to gain any. With `io_policy.allow_files` the document's folder is there, under its own path, and it is the working directory; with `allow_network` there is a network. It runs as whoever started woof, or as nobody, or as the owner of the folder, where that is root.",
  ],
  result: [
    'The result is `{status, returncode, image, stdout, stderr}`; the status is `succeeded` or `failed`.',
  ],
  errors: [
    { kinds: ['policy'], when: 'no permission, or neither docker nor podman can start containers' },
    {
      kinds: ['exception'],
      when: 'the program ended with another status than 0, which is the `code`; it used too much memory: `out_of_memory`',
    },
    { kinds: ['not_found'], when: 'there is no such image' },
    { kinds: ['connection'], when: 'the image could not be fetched' },
  ],
  example: `- report:
    kind: container
    image: python:3.12-slim
    command: [python3, -c, "print(6 * 7)"]
    resources: {memory_mb: 256, cpus: 1}
    spec:
      io_policy: {allow_shell: true}
`,
};
