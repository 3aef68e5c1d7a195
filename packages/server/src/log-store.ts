/** What tasks write: kept beside the log, bounded a task run, read in pages. */
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { WireLogLine } from '@woof/protocol';
import { KeptText } from './kept-text.ts';

export type LogEntry = Omit<WireLogLine, 'execution_id'>;

export interface LogPage {
  lines: LogEntry[];
  /** Where the next page begins: opaque. */
  next: string;
}

export interface LogStore {
  append(lines: readonly WireLogLine[]): Promise<void>;
  read(executionId: string, from: string | undefined, limit: number): Promise<LogPage>;
}

const READ_AT_ONCE = 1024 * 1024;
const NEWLINE = 10;
const SAFE = /^[\w.-]+$/;

/** One file of JSON lines an execution, as `woof run` leaves them. */
export class FileLogStore implements LogStore {
  private readonly kept = new KeptText();
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly folder: string) {}

  /** One writer at a time, so that lines never mix. */
  append(lines: readonly WireLogLine[]): Promise<void> {
    this.writing = this.writing.catch(() => {}).then(() => this.write(lines));
    return this.writing;
  }

  private async write(lines: readonly WireLogLine[]): Promise<void> {
    const texts = new Map<string, string>();
    for (const { execution_id, ...line } of lines) {
      const text = this.kept.take(`${execution_id}\n${line.task_run_id}`, line.text);
      if (text === '' || !SAFE.test(execution_id)) continue;
      const entry = `${JSON.stringify({ ...line, text })}\n`;
      texts.set(execution_id, (texts.get(execution_id) ?? '') + entry);
    }
    if (texts.size > 0) await mkdir(this.folder, { recursive: true });
    for (const [id, text] of texts) await appendLines(this.file(id), text);
  }

  async read(executionId: string, from: string | undefined, limit: number): Promise<LogPage> {
    let at = Number(from ?? 0);
    if (!Number.isSafeInteger(at) || at < 0) at = 0;
    const lines: LogEntry[] = [];
    for await (const { entry, end } of this.linesFrom(executionId, at)) {
      lines.push(entry);
      at = end;
      if (lines.length >= limit) break;
    }
    return { lines, next: String(at) };
  }

  private async *linesFrom(
    executionId: string,
    start: number,
  ): AsyncIterable<{ entry: LogEntry; end: number }> {
    const file = SAFE.test(executionId)
      ? await open(this.file(executionId)).catch(() => undefined)
      : undefined;
    if (file === undefined) return;
    try {
      let rest = Buffer.alloc(0);
      let at = start;
      for (let position = start; ; ) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(READ_AT_ONCE), 0, READ_AT_ONCE, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
        // The last line may be half written; it waits for its end.
        for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
          at += end + 1;
          const entry = entryOf(rest.subarray(0, end).toString('utf8'));
          if (entry !== undefined) yield { entry, end: at };
          rest = rest.subarray(end + 1);
        }
      }
    } finally {
      await file.close();
    }
  }

  private file(executionId: string): string {
    return join(this.folder, `${executionId}.jsonl`);
  }
}

/** A line that a crash or a full disk tore keeps its tear for itself. */
async function appendLines(path: string, text: string): Promise<void> {
  const file = await open(path, 'a+');
  try {
    const { size } = await file.stat();
    const last = size === 0 ? NEWLINE : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0];
    await file.appendFile(last === NEWLINE ? text : `\n${text}`);
  } finally {
    await file.close();
  }
}

/** Undefined where a line was torn by a crash, or the reader began in its middle. */
function entryOf(line: string): LogEntry | undefined {
  try {
    const entry = JSON.parse(line) as LogEntry | null;
    return typeof entry?.text === 'string' ? entry : undefined;
  } catch {
    return undefined;
  }
}
