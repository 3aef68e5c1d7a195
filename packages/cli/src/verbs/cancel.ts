import { commandRun } from '../control/command-run.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { defineVerb, JSON_FLAG } from '../verb.ts';

export const verb = defineVerb({
  args: ['RUN'],
  options: { reason: { doc: 'why, for the log', value: 'TEXT' }, json: JSON_FLAG, ...HOME_OPTIONS },
  about: 'What runs is stopped, what waits is dropped. It cannot be resumed, but run again.',
  examples: [
    ['woof cancel last', 'end the newest run, from another terminal'],
    ['woof cancel k3x9 --reason "wrong file"', 'the reason stands in the log'],
  ],
  run: ([word = ''], flags) => commandRun('cancel', word, flags),
});
