import type { ToolManual } from '../tool-manual.ts';

export const rManual: ToolManual = {
  about: [
    'Runs R in the [sandbox](../sandbox.md), each task in a process of its own. The machine needs R (`Rscript`, the package `r-base-core`).',
  ],
  details: [
    'Do not put templates into `code`; pass values with `args`. So the code stays code, whatever the values hold.',
    'The code gets the `args` of the step, and of the arcs that led to it, with the `args` of the task laid over them:',
    {
      table: [
        ['In the code', 'What it is'],
        ['`x`', 'The argument `x`, as a variable.'],
        [
          '`args`, `input_data`',
          'All arguments, as one list. An argument that is itself called `args`, `input_data` or `context` is read as `args[["context"]]`.',
        ],
        [
          '`main <- function(x, y = 0, ...)`',
          'Arguments are passed by name. `main` may also ask for `args`, `input_data` and `context`.',
        ],
        [
          '`context`',
          'Everything that a template of the task can read by name, except secrets: `context$workload`, `context$ctx`, results of steps such as `context$start`. It exists only if the code contains the word.',
        ],
      ],
    },
    'Maps arrive as named lists, lists of numbers, texts or booleans as vectors, and other lists as lists. [Numbers](../templates.md#numbers) says which numbers R can hold: an integer from 2^53 on arrives as text.',
  ],
  result: [
    'The result is the variable `result`, else what `main(…)` returns, else `{stdout, stderr}`. A vector of one value is that value, a longer one a list, a named list a map, a data frame a list of maps; `NA`, `NaN` and infinities are null. What the code prints goes to `woof logs`. A result has 64 MiB at most.',
  ],
  errors: [
    {
      kinds: ['exception'],
      when: 'the code failed: `exception_type` is the class of the condition, `details` has `traceback` and the `line` of the code; or its process died',
    },
    { kinds: ['policy'], when: 'the code did what `io_policy` does not allow' },
    { kinds: ['schema'], when: 'the result is not JSON: a function, a model, an environment' },
    { kinds: ['storage'], when: 'the result has more than 64 MiB as JSON' },
  ],
  example: `- fit:
    kind: r
    args: {x: "{{ workload.x }}", y: "{{ workload.y }}"}
    code: |
      main <- function(x, y) {
        fit <- lm(y ~ x)
        list(slope = round(coef(fit)[["x"]], 3), n = length(x))
      }
`,
  gives: { workload: { x: [1, 2, 3], y: [1, 3.5, 6] }, result: { slope: 2.5, n: 3 } },
};
