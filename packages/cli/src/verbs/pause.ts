import { commandRun } from '../control/command-run.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { defineVerb, JSON_FLAG } from '../verb.ts';

export const verb = defineVerb({
  args: ['RUN'],
  options: { json: JSON_FLAG, ...HOME_OPTIONS },
  about: 'Running tasks finish. Nothing new starts until woof resume.',
  examples: [
    ['woof pause last', 'pause the newest run, from another terminal'],
    ['woof pause k3x9', 'pause the run whose id begins or ends with k3x9'],
  ],
  run: ([word = ''], flags) => commandRun('pause', word, flags),
});
