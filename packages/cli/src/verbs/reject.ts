import { answerRun } from '../control/answer-run.ts';
import { DRIVE_OPTIONS } from '../drive.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: ['RUN', '[STEP]'],
  options: {
    note: { doc: 'why, for the log', value: 'TEXT' },
    by: { doc: 'who says so (default: you)', value: 'NAME' },
    ...DRIVE_OPTIONS,
    ...HOME_OPTIONS,
  },
  about: 'The step fails, and what builds on it is skipped. Who rejected, when and why stands in the log.',
  examples: [
    ["woof reject last deploy --note 'not on a Friday'", 'fail the step deploy'],
    ['woof reject last', 'reject the only step that waits'],
  ],
  run: (args, flags) => answerRun(args, false, flags),
});
