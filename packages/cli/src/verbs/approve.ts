import { answerRun } from '../control/answer-run.ts';
import { DRIVE_OPTIONS } from '../drive.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: ['RUN', '[STEP]'],
  options: {
    note: { doc: 'note to record in the log', value: 'TEXT' },
    by: { doc: 'name to record in the log (default: your user name)', value: 'NAME' },
    override: { doc: 'approve a step that the safety policy blocks' },
    ...DRIVE_OPTIONS,
    ...HOME_OPTIONS,
  },
  about:
    'The run continues until it ends or reaches its next gate. The log records who approved, when and why. You can leave out STEP if only one step is waiting.',
  examples: [
    ["woof approve last deploy --note 'looks good'", 'approve the step "deploy"'],
    ['woof approve k3x9 clean --override', 'approve a step that the safety policy blocks'],
  ],
  run: (args, flags) => answerRun(args, true, flags),
});
