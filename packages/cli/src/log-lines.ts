/** What tasks of a run wrote, from its file; a line that is half written waits for its end. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { hasStopped, type LocalRun } from './follow-log.ts';

const POLL_MS = 100;

export async function* logLines(run: LocalRun, follow: boolean): AsyncIterable<string> {
  const file = join(run.data.logs, `${run.row.execution_id}.jsonl`);
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.alloc(256 * 1024);
  let position = 0;
  let rest = '';
  for (let round = 0; ; round++) {
    const isLast = !follow || (await hasStopped(run, round));
    for (const chunk of readFrom(file, position, buffer)) {
      position += chunk.length;
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
