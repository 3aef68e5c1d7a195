import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { LogLine } from '@woof/worker';
import { hasStopped } from '../follow-log.ts';
import { type OpenRun, stateOf, withRun } from '../open-run.ts';
import { harmless, painter } from '../terminal.ts';
import { DATA, defineVerb } from '../verb.ts';
import { writeOut } from '../write-out.ts';
import { checkStep } from './why.ts';

const POLL_MS = 100;

export const verb = defineVerb({
  args: ['RUN'],
  options: {
    step: { doc: 'only this step', value: 'STEP' },
    json: { doc: 'print one JSON object a line' },
    follow: { doc: 'go on until the run ends' },
    data: DATA,
  },
  examples: [
    ['woof logs last', 'what the tasks of the newest run wrote'],
    ['woof logs last --step train --follow', 'watch one step'],
  ],
  run: ([word = ''], flags) =>
    withRun(word, flags.data, async (run) => {
      if (flags.step !== undefined) checkStep(await stateOf(run), flags.step);
      for await (const line of logLines(run, flags.follow ?? false)) {
        const entry = JSON.parse(line) as LogLine;
        if (flags.step !== undefined && entry.step !== flags.step) continue;
        await writeOut(flags.json ? `${line}\n` : toText(entry));
      }
      return 0;
    }),
});

function toText({ step, stream, text }: LogLine): string {
  const paint = painter(process.stdout);
  const head = paint(`${harmless(step)} | `, stream === 'stderr' ? 'yellow' : 'dim');
  const body = harmless(text.endsWith('\n') ? text.slice(0, -1) : text, 'lines');
  return body
    .split('\n')
    .map((line) => `${head}${line}\n`)
    .join('');
}

async function* logLines(run: OpenRun, follow: boolean): AsyncIterable<string> {
  const file = join(run.data.logs, `${run.row.execution_id}.jsonl`);
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.alloc(256 * 1024);
  let position = 0;
  let rest = '';
  for (let round = 0; ; round++) {
    const isLast = !follow || (await hasStopped(run, round));
    for (const chunk of readFrom(file, position, buffer)) {
      position += chunk.length;
      // The last line may be half written; it waits for its end.
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line !== '');
    }
    if (isLast) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function* readFrom(file: string, start: number, buffer: Buffer): Iterable<Buffer> {
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r');
  try {
    for (let at = start; ; ) {
      const length = readSync(descriptor, buffer, 0, buffer.length, at);
      if (length === 0) return;
      at += length;
      yield buffer.subarray(0, length);
    }
  } finally {
    closeSync(descriptor);
  }
}
