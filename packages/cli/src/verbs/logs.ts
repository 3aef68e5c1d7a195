import type { LogLine } from '@woof/worker';
import { HOME_OPTIONS } from '../home-flags.ts';
import { stateOf, withRun } from '../open-run.ts';
import { harmless, painter } from '../terminal.ts';
import { withPlaces } from '../traceback.ts';
import { defineVerb } from '../verb.ts';
import { type WholeLine, WholeLines } from '../whole-lines.ts';
import { writeOut } from '../write-out.ts';
import { checkStep } from './why.ts';

export const verb = defineVerb({
  args: ['RUN'],
  options: {
    step: { doc: 'only the output of this step', value: 'STEP' },
    json: { doc: 'print one JSON object per line' },
    follow: { doc: 'print new output until the run ends' },
    ...HOME_OPTIONS,
  },
  examples: [
    ['woof logs last', 'print the output of the newest run'],
    ['woof logs last --step train --follow', 'watch one step'],
  ],
  run: ([word = ''], flags) =>
    withRun(word, flags, async (run) => {
      const state = await stateOf(run);
      if (flags.step !== undefined) checkStep(state, flags.step);
      const whole = new WholeLines();
      let isEmpty = true;
      const { plan } = state;
      const { file } = run.row;
      for await (const line of run.home.logs(run.row, flags.follow ?? false)) {
        const written = JSON.parse(line) as LogLine;
        const entry = file ? withPlaces(written, plan, file) : written;
        if (flags.step !== undefined && entry.step !== flags.step) continue;
        isEmpty = false;
        await writeOut(flags.json ? `${line}\n` : toText(whole.take(entry)));
      }
      await writeOut(toText(whole.rest()));
      if (isEmpty && !flags.json) console.error(nothingWritten(word, flags.step));
      return 0;
    }),
});

function nothingWritten(word: string, step: string | undefined): string {
  const who = step === undefined ? 'the tasks of this run' : `step "${harmless(step)}"`;
  const result = step === undefined ? word : `${word} ${harmless(step)}`;
  return `${who} wrote nothing; for the result: woof result ${result}`;
}

function toText(lines: readonly WholeLine[]): string {
  const paint = painter(process.stdout);
  return lines
    .map(({ step, stream, text }) => {
      const head = paint(`${harmless(step)} | `, stream === 'stderr' ? 'yellow' : 'dim');
      return `${head}${harmless(text, 'lines')}\n`;
    })
    .join('');
}
