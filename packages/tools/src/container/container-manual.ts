import type { ToolManual } from '../tool-manual.ts';

export const containerManual: ToolManual = {
  about: [
    'Runs a program from an image in its own container, and removes the container when the program ends. Woof uses docker or podman, whichever answers first. If neither works, Woof refuses the task and reports what each of them said. The task needs `io_policy.allow_shell`.',
  ],
  details: [
    "The root file system of the container is read-only. The container has a `/tmp` of 1 GiB, no capabilities, and no way to gain any. With `io_policy.allow_files`, the container sees the document's folder under its own path and uses it as the working directory. With `allow_network`, the container has a network. The program runs as the user who started Woof. If that user is root, it runs as nobody, or with `allow_files` as the owner of the folder.",
  ],
  result: [
    'The result is `{status, returncode, image, stdout, stderr}`. `status` is `succeeded` or `failed`.',
  ],
  errors: [
    {
      kinds: ['policy'],
      when: 'The task does not have the permission, or neither docker nor podman can start containers.',
    },
    {
      kinds: ['exception'],
      when: 'The program ended with an exit code other than 0, which is the `code`, or it used too much memory (code `out_of_memory`).',
    },
    { kinds: ['not_found'], when: 'The image does not exist.' },
    { kinds: ['connection'], when: 'Woof could not fetch the image.' },
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
