import type { LogEntry } from '@woof/stores';
import { HOME_OPTIONS } from '../home-flags.ts';
import { type OpenRun, stateOf, withRun } from '../open-run.ts';
import { harmless, painter } from '../terminal.ts';
import { withPlaces } from '../traceback.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';
import { type WholeLine, WholeLines } from '../whole-lines.ts';
import { writeOut } from '../write-out.ts';
import { checkStep } from './why.ts';

export const verb = defineVerb({
  args: ['RUN'],
  options: {
    step: { doc: 'only the output of this step', value: 'STEP' },
    grep: { doc: 'only lines that contain this text, ignoring case', value: 'TEXT', short: 'q' },
    tail: { doc: 'only the last N lines', value: 'N' },
    json: { doc: 'print one JSON object per line' },
    follow: { doc: 'print new output until the run ends' },
    ...HOME_OPTIONS,
  },
  examples: [
    ['woof logs last', 'print the output of the newest run'],
    ['woof logs last --tail 20', 'print the last 20 lines'],
    ['woof logs last --step train --follow', 'watch one step'],
  ],
  run: ([word = ''], flags) =>
    withRun(word, flags, async (run) => {
      const state = await stateOf(run);
      if (flags.step !== undefined) checkStep(state, flags.step);
      const tail = tailOf(flags.tail);
      const { step, grep: q, follow } = flags;
      const view = { step, q, follow, tail };
      const print = flags.json ? new JsonPrinter() : new TextPrinter(q, tail, follow ?? false);
      const { file } = run.row;
      let isEmpty = true;
      for await (const { cursor: _, ...line } of run.home.logs(run.row, view)) {
        isEmpty = false;
        await print.take(file && !flags.json ? withPlaces(line, state.plan, file) : line);
      }
      await print.end();
      if (isEmpty && !flags.json) console.error(nothingFound(word, flags, await nestedRun(run)));
      return 0;
    }),
});

const MOST_TAIL = 10_000;

function tailOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST_TAIL) return count;
  throw new UserError(
    `--tail ${text}: expected a whole number from 1 to ${MOST_TAIL}`,
    'for example --tail 20',
    2,
  );
}

class JsonPrinter {
  take(line: LogEntry): Promise<void> {
    return writeOut(`${JSON.stringify(line)}\n`);
  }

  async end(): Promise<void> {}
}

/** Tasks write several lines in one piece: of a piece that was found, only the requested lines are printed. */
class TextPrinter {
  private readonly whole = new WholeLines();
  private readonly q: string | undefined;
  private held: WholeLine[] = [];

  constructor(
    q: string | undefined,
    private readonly tail: number | undefined,
    private readonly follow: boolean,
  ) {
    this.q = q?.toLowerCase();
  }

  async take(line: LogEntry): Promise<void> {
    await this.print(this.whole.take(line));
  }

  async end(): Promise<void> {
    await this.print(this.whole.rest());
    await writeOut(toText(this.held));
  }

  private async print(lines: readonly WholeLine[]): Promise<void> {
    const meant = lines.filter(({ text }) => this.q === undefined || text.toLowerCase().includes(this.q));
    if (this.tail === undefined || this.follow) return writeOut(toText(meant));
    this.held = [...this.held, ...meant].slice(-this.tail);
  }
}

/** One that failed, if any did: its output is more interesting. */
async function nestedRun({ home, row }: OpenRun): Promise<string | undefined> {
  const called = await home.store.executions({ parent: row.execution_id });
  return (called.find(({ status }) => status === 'failed') ?? called[0])?.execution_id;
}

function nothingFound(
  word: string,
  { step, grep }: { step?: string; grep?: string },
  nested: string | undefined,
): string {
  const who = step === undefined ? 'the tasks of this run' : `step "${harmless(step)}"`;
  if (grep !== undefined) return `${who} wrote nothing that contains "${harmless(grep)}"`;
  if (nested !== undefined)
    return `${who} wrote nothing; for the output of a nested run: woof logs ${harmless(nested)}`;
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
