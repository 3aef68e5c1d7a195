import { toEnvelope } from '@woof/net';
import { describeEvent } from '../describe-event.ts';
import { followLog } from '../follow-log.ts';
import { withRun } from '../open-run.ts';
import { painter } from '../terminal.ts';
import { DATA, defineVerb } from '../verb.ts';
import { writeOut } from '../write-out.ts';

export const verb = defineVerb({
  args: ['RUN'],
  options: {
    json: { doc: 'print one full envelope a line' },
    follow: { doc: 'go on until the run ends' },
    data: DATA,
  },
  examples: [
    ['woof events last --follow', 'watch the newest run'],
    ['woof events last --json | jq .name', 'the names of all events'],
  ],
  run: ([word = ''], flags) =>
    withRun(word, flags.data, async (run) => {
      const id = run.row.execution_id;
      const paint = painter(process.stdout);
      for await (const { from, events } of followLog(run, flags.follow ?? false)) {
        const lines = events.map((event, i) =>
          flags.json
            ? JSON.stringify(toEnvelope(event, id, from + i + 1))
            : describeEvent(event, from + i + 1, paint),
        );
        await writeOut(`${lines.join('\n')}\n`);
      }
      return 0;
    }),
});
