import { answerRun } from '../control/answer-run.ts';
import { DRIVE_OPTIONS } from '../drive.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: ['RUN', '[STEP]'],
  options: {
    note: { doc: 'why, for the log', value: 'TEXT' },
    by: { doc: 'who says so (default: you)', value: 'NAME' },
    override: { doc: 'although the policy blocks it' },
    ...DRIVE_OPTIONS,
    ...HOME_OPTIONS,
  },
  about:
    'The step goes on, and the run with it, to its end or its next gate. Who approved, when and why stands in the log.',
  examples: [
    ["woof approve last deploy --note 'looks good'", 'let the step deploy go on'],
    ['woof approve k3x9 clean --override', 'let a step run that the policy blocks'],
  ],
  run: (args, flags) => answerRun(args, true, flags),
});
