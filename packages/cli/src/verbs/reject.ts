import { answerRun } from '../control/answer-run.ts';
import { DRIVE_OPTIONS } from '../drive.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: ['RUN', '[STEP]'],
  options: {
    note: { doc: 'note to record in the log', value: 'TEXT' },
    by: { doc: 'name to record in the log (default: your user name)', value: 'NAME' },
    ...DRIVE_OPTIONS,
    ...HOME_OPTIONS,
  },
  about:
    'The step fails, and Woof skips the steps that depend on it. The log records who rejected, when and why. You can leave out STEP if only one step is waiting.',
  examples: [
    ["woof reject last deploy --note 'not on a Friday'", 'reject the step "deploy"'],
    ['woof reject last', 'reject the only waiting step'],
  ],
  run: (args, flags) => answerRun(args, false, flags),
});
