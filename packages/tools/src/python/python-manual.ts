import type { ToolManual } from '../tool-manual.ts';

export const pythonManual: ToolManual = {
  about: ['Runs Python 3 in the [sandbox](../sandbox.md).'],
  details: [
    'Do not put templates into `code`; pass values with `args`. So the code stays code, whatever the values hold.',
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
