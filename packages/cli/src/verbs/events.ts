import { encodeJson, toEnvelope } from '@woof/net';
import { describeEvent } from '../describe-event.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { withRun } from '../open-run.ts';
import { painter } from '../terminal.ts';
import { defineVerb } from '../verb.ts';
import { writeOut } from '../write-out.ts';

export const verb = defineVerb({
  args: ['RUN'],
  options: {
    json: { doc: 'print each event in full, as one JSON object per line' },
    follow: { doc: 'print new events until the run ends' },
    ...HOME_OPTIONS,
  },
  examples: [
    ['woof events last --follow', 'watch the newest run'],
    ['woof events last --json | jq .name', 'print the names of all events'],
  ],
  run: ([word = ''], flags) =>
    withRun(word, flags, async ({ home, row }) => {
      const id = row.execution_id;
      const paint = painter(process.stdout);
      for await (const { from, events } of home.frames(row, flags.follow ?? false)) {
        const lines = events.map((event, i) =>
          flags.json
            ? encodeJson(toEnvelope(event, id, from + i + 1))
            : describeEvent(event, from + i + 1, paint),
        );
        await writeOut(`${lines.join('\n')}\n`);
      }
      return 0;
    }),
});
