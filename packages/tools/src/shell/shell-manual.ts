import type { ToolManual } from '../tool-manual.ts';

export const shellManual: ToolManual = {
  about: ['Runs commands in the [sandbox](../sandbox.md); needs `io_policy.allow_shell`.'],
  details: [
    'The shell is bash where the machine has it, else `sh`. Pass values with `args` or `env`, not with templates inside a command: a value could hold a command of its own.',
    'Each argument of the step whose name is a valid variable name is an environment variable: `args: {city: Oslo}` is `"$city"`. Lists and maps are passed as JSON; null is not passed. `env`, `spec.env` and variables that Woof sets itself, such as `PATH`, win over an argument of the same name. Arguments named like a variable that the shell or the loader reads for itself (`LD_*`, `BASH_*`, `ENV`, `IFS`, `PS4`, `LC_*` and the like) are not passed; set such a variable with `env`. An argument over 100,000 bytes is not passed, and is an error if the commands name it.',
  ],
  result: ['The result is `{returncode, stdout, stderr}`.'],
  errors: [
    { kinds: ['exception'], when: 'a status other than 0, which is the `code`' },
    { kinds: ['policy'], when: '`io_policy.allow_shell` is missing' },
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
