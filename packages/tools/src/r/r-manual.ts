import type { ToolManual } from '../tool-manual.ts';

export const rManual: ToolManual = {
  about: [
    'Runs R in the [sandbox](../sandbox.md). Each task has its own process. The machine needs R (`Rscript`, in the package `r-base-core`).',
  ],
  details: [
    'Do not put templates into `code`. Pass values with `args`, so that a value can never become code.',
    'The code receives the `args` of the step and of the arcs that led to it. The `args` of the task override them.',
    {
      table: [
        ['In the code', 'What it is'],
        ['`x`', 'The argument `x`, as a variable.'],
        [
          '`args`, `input_data`',
          'All arguments, as one list. If an argument is called `input_data`, that name is the argument. Read an argument that is called `args` or `context` as `args[["context"]]`.',
        ],
        [
          '`main <- function(x, y = 0, ...)`',
          'Arguments are passed by name. `main` can also have the parameters `args`, `input_data` and `context`.',
        ],
        [
          '`context`',
          'Everything that a template of the task can read by name, except secrets: `context$workload`, `context$ctx`, results of steps such as `context$start`. It exists only if the code contains the word `context`.',
        ],
      ],
    },
    'Maps arrive as named lists. Lists of numbers, texts or booleans arrive as vectors, and other lists as lists. [Numbers](../templates.md#numbers) lists the numbers that R can hold.',
    '### Integers of any size',
    'An integer of 2^53 or more arrives as an `exact_integer`: its digits as text, with a class. In the result, it is the same integer again. Lists of integers with at least one of that size, and columns of data frames, become vectors of that class. A list that also has floats stays a list, and such a column of a data frame becomes text. An `exact_integer` can be printed, compared, sorted and combined. R cannot compute with it, so `x + 1`, `sum(x)` and `mean(x)` are errors. `NULL` counts as no values, and `max` of no values is `NA` with a warning.',
    {
      table: [
        ['To', 'Write'],
        ['compute with 15 digits', '`as.numeric(x)`'],
        [
          'compute exactly',
          '`gmp::as.bigz(as.character(x))`. The package `gmp` must be installed (`r-cran-gmp` on Debian). Its numbers, and `integer64` of the package `bit64`, are integers in the result.',
        ],
        ['make one', '`exact_integer("18446744073709551616")`'],
        ['get the digits as text', '`as.character(x)`'],
      ],
    },
    'Many functions of R do not know the class. Some raise an error, but these use the text or a rounded number:',
    {
      table: [
        ['Function', 'What to know'],
        [
          '`match`, `%in%`, `merge`',
          'They compare texts, and R writes the number 100000 as `1e+05`. So `x %in% 1e5` is false even if `x == 1e5` is true. Use `exact_integer(v)` on both sides for keys.',
        ],
        [
          '`var`, `sd`, `which.max`, `which.min`, `findInterval`, `1:x`, `seq(1, x)`',
          'They use `as.numeric(x)`, which loses digits. So does every other function that converts its argument to numbers. `match(max(x), x)` is the exact position of the largest value.',
        ],
        [
          '`c`, `max`, `min`, `range`, `pmax`, `pmin`',
          'The first argument must be the `exact_integer`: `max(5, x)` compares texts.',
        ],
        [
          '`for`, `ifelse`, `unlist`, `sapply`, `union`, `intersect`',
          'They remove the class, and most of them do so for dates too. Use `lapply`, `x[i]` and `unique(c(x, y))`.',
        ],
      ],
    },
  ],
  result: [
    'The result is the variable `result`, else what `main(…)` returns, else `{stdout, stderr}`. It can be at most 64 MiB. What the code prints goes to `woof logs`.',
    {
      table: [
        ['In R', 'In the result'],
        ['a vector of one value', 'That value.'],
        ['a longer vector', 'A list.'],
        ['a named list', 'A map.'],
        ['a data frame', 'A list of maps.'],
        ['`NA`, `NaN` and infinities', 'Null.'],
      ],
    },
  ],
  errors: [
    {
      kinds: ['exception'],
      when: 'The code failed, or its process died. `exception_type` is the class of the condition. `details` has `traceback` and the `line` of the code.',
    },
    { kinds: ['policy'], when: 'The code did something that `io_policy` does not allow.' },
    { kinds: ['schema'], when: 'The result cannot be JSON: a function, a model or an environment.' },
    { kinds: ['storage'], when: 'The result is larger than 64 MiB as JSON.' },
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
