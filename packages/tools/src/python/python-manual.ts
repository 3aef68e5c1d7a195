import type { ToolManual } from '../tool-manual.ts';

export const pythonManual: ToolManual = {
  about: ['Runs Python 3 in the [sandbox](../sandbox.md).'],
  details: [
    'Do not put templates into `code`. Pass values with `args`, so that a value can never become code.',
    'The code receives the `args` of the step and of the arcs that led to it. The `args` of the task override them.',
    {
      table: [
        ['In the code', 'What it is'],
        ['`x`', 'The argument `x`, as a global.'],
        [
          '`args`, `input_data`',
          'All arguments, as one dict. If an argument is called `input_data`, that name is the argument. Read an argument that is called `args` or `context` as `args["context"]`.',
        ],
        [
          '`def main(x, y=0, **rest)`',
          'Arguments are passed by name. `main` can also have the parameters `args`, `input_data` and `context`.',
        ],
        [
          '`context`',
          'Everything that a template of the task can read by name, except secrets: `context["workload"]`, `context["ctx"]`, results of steps such as `context["start"]`. It exists only if the code contains the word `context`. Prefer `args`, because copying all results takes time.',
        ],
      ],
    },
    '`libs` imports modules before the code runs. It is a map or a list:',
    {
      table: [
        ['In `libs`', 'Same as'],
        ['`{np: numpy}`', '`import numpy as np`'],
        ['`{day: {from: datetime, import: date}}`', '`from datetime import date as day`'],
        ['`[{from: math, import: [sqrt, pi]}]`', '`from math import sqrt, pi`'],
        ['`[{import: numpy, as: np}]`', '`import numpy as np`'],
        ['`["json", "import os.path", "from math import pi"]`', 'the lines themselves'],
      ],
    },
  ],
  result: [
    'The result is the value of a `return` at the top level, else the variable `result`, else what `main(…)` returns, else `{stdout, stderr}`. It must be JSON and can be at most 64 MiB. Tuples become lists. NaN becomes null, and Woof writes a note to the log. Woof awaits coroutines. What the code prints goes to `woof logs`.',
  ],
  errors: [
    {
      kinds: ['exception'],
      when: 'The code raised an exception. `exception_type` names it, `details` has `traceback` and the `line` of the code, and rules can also read `outcome.py`: `{exception_type, line}`.',
      retryable: 'if it is a ConnectionError, a TimeoutError or a BlockingIOError',
    },
    { kinds: ['policy'], when: '`PolicyError`: the code did something that it may not do.' },
    { kinds: ['storage'], when: 'The result is larger than 64 MiB as JSON.' },
    { kinds: ['parse'], when: 'The code wrote to the channel that carries its result.' },
  ],
  example: `- parse:
    kind: python
    libs: {csv: csv, io: io}
    args:
      text: "{{ workload.text }}"
    code: |
      def main(text):
          return list(csv.DictReader(io.StringIO(text)))
`,
  gives: { workload: { text: 'id,total\n1,20\n' }, result: [{ id: '1', total: '20' }] },
};
