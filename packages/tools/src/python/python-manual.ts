import type { ToolManual } from '../tool-manual.ts';

export const pythonManual: ToolManual = {
  about: ['Runs Python 3 in the [sandbox](../sandbox.md).'],
  details: [
    'Do not put templates into `code`; pass values with `args`. So the code stays code, whatever the values hold.',
    'The code gets the `args` of the step, and of the arcs that led to it, with the `args` of the task laid over them:',
    {
      table: [
        ['In the code', 'What it is'],
        ['`x`', 'The argument `x`, as a global.'],
        [
          '`args`, `input_data`',
          'All arguments, as one dict. An argument that is itself called `args`, `input_data` or `context` is read as `args["context"]`.',
        ],
        [
          '`def main(x, y=0, **rest)`',
          'Arguments are passed by name. `main` may also ask for `args`, `input_data` and `context`.',
        ],
        [
          '`context`',
          'Everything that a template of the task can read by name, except secrets: `context["workload"]`, `context["ctx"]`, results of steps such as `context["start"]`. It exists only if the code contains the word. Prefer `args`: copying all results costs time.',
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
    'The result is what a `return` at the top level gives, else the variable `result`, else what `main(…)` returns, else `{stdout, stderr}`. It must be JSON; tuples become lists, NaN becomes null with a note. Coroutines are awaited. What the code prints goes to `woof logs`. A result has 64 MiB at most.',
  ],
  errors: [
    {
      kinds: ['exception'],
      when: 'the code raised something: `exception_type` names it, `details` has `traceback` and the `line` of the code, and rules also see `outcome.py`: `{exception_type, line}`',
      retryable: 'where it is a ConnectionError, a TimeoutError or a BlockingIOError',
    },
    { kinds: ['policy'], when: '`PolicyError`: the code did what it may not' },
    { kinds: ['storage'], when: 'the result has more than 64 MiB as JSON' },
    { kinds: ['parse'], when: 'the code wrote onto the channel of its own result' },
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
