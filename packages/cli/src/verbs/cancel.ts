import { commandRun } from '../control/command-run.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { defineVerb, JSON_FLAG } from '../verb.ts';

export const verb = defineVerb({
  args: ['RUN'],
  options: {
    reason: { doc: 'reason to record in the log', value: 'TEXT' },
    json: JSON_FLAG,
    ...HOME_OPTIONS,
  },
  about:
    'Woof stops running tasks and drops waiting ones. You cannot resume a cancelled run, but you can start it again with woof rerun.',
  examples: [
    ['woof cancel last', 'cancel the newest run, from another terminal'],
    ['woof cancel k3x9 --reason "wrong file"', 'record a reason in the log'],
  ],
  run: ([word = ''], flags) => commandRun('cancel', word, flags),
});
