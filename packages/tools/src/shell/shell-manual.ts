import type { ToolManual } from '../tool-manual.ts';

export const shellManual: ToolManual = {
  about: ['Runs commands in the [sandbox](../sandbox.md). The task needs `io_policy.allow_shell`.'],
  details: [
    'The shell is bash if the machine has it, else `sh`. Pass values with `args` or `env`, not with templates inside a command, because a value could contain a command.',
    'Each argument of the step whose name is a valid variable name becomes an environment variable: `args: {city: Oslo}` is `"$city"`. Lists and maps are passed as JSON. Null is not passed.',
    '`env`, `spec.env` and variables that Woof sets itself, such as `PATH`, win over an argument of the same name. Woof does not pass arguments whose name is a variable that the shell or the loader reads (`LD_*`, `BASH_*`, `ENV`, `IFS`, `PS4`, `LC_*` and the like). Set such a variable with `env`. Woof does not pass an argument over 100,000 bytes, and fails the task if the commands name it.',
  ],
  result: ['The result is `{returncode, stdout, stderr}`.'],
  errors: [
    { kinds: ['exception'], when: 'The exit code is not 0. It is the `code` of the error.' },
    { kinds: ['policy'], when: '`io_policy.allow_shell` is not set.' },
  ],
  example: `- count:
    kind: shell
    cmds: ["printf %s \\"$WORD\\" | wc -m"]
    env: {WORD: "{{ workload.word }}"}
    spec:
      io_policy: {allow_shell: true}
`,
  gives: { workload: { word: 'woof' }, result: { returncode: 0, stdout: '4\n', stderr: '' } },
};
