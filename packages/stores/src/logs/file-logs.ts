/**
 * One file of JSON lines per execution, as `woof run` leaves them. A cursor is the position after a line in the file.
 */
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { KeptText } from './kept-text.ts';
import { type LineRange, LineSearch } from './line-search.ts';
import { blocksBefore, blocksFrom, endOfLines, type LogBlock } from './log-blocks.ts';
import {
  LARGEST_PAGE,
  type LogEntry,
  type LogLine,
  type LogPage,
  type LogQuery,
  type LogStore,
  placeOf,
  type WrittenEntry,
} from './log-store.ts';

const NEWLINE = 10;
const SAFE = /^[\w.-]+$/;

export class FileLogs implements LogStore {
  private readonly kept = new KeptText();
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly folder: string) {}

  /** One writer at a time, so that lines never mix. */
  append(lines: readonly WrittenEntry[]): Promise<void> {
    this.writing = this.writing.catch(() => {}).then(() => this.write(lines));
    return this.writing;
  }

  private async write(lines: readonly WrittenEntry[]): Promise<void> {
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

  async read(executionId: string, query: LogQuery): Promise<LogPage> {
    const isBackward = query.tail === true || query.before !== undefined;
    const file = SAFE.test(executionId)
      ? await open(this.file(executionId)).catch(() => undefined)
      : undefined;
    if (file === undefined) return { lines: [], next: '0' };
    try {
      return await (isBackward ? readBackward(file, query) : readForward(file, query));
    } finally {
      await file.close();
    }
  }

  private file(executionId: string): string {
    return join(this.folder, `${executionId}.jsonl`);
  }
}

async function readForward(file: FileHandle, query: LogQuery): Promise<LogPage> {
  const start = placeOf(query.from, 0);
  const search = new LineSearch(query);
  const lines: LogLine[] = [];
  const previous = () => (start > 0 && lines.length > 0 ? { previous: lines[0]!.cursor } : {});
  let next = start;
  let room = LARGEST_PAGE;
  for await (const block of blocksFrom(file, start)) {
    for (const range of search.lines(block.bytes.toString('latin1'))) {
      const line = lineAt(block, range, search);
      if (line === undefined) continue;
      lines.push(line);
      room -= line.text.length;
      if (lines.length === query.limit || room < 0) return { lines, next: line.cursor, ...previous() };
    }
    next = block.at + block.bytes.length;
  }
  return { lines, next: String(next), ...previous() };
}

async function readBackward(file: FileHandle, query: LogQuery): Promise<LogPage> {
  const { size } = await file.stat();
  const before = Math.min(placeOf(query.before, size + 1), size + 1);
  // The newline before the cursor ends the line that it names.
  const end = await endOfLines(file, Math.max(0, before - 1));
  const search = new LineSearch(query);
  const lines: LogLine[] = [];
  const next = String(end);
  let room = LARGEST_PAGE;
  for await (const block of blocksBefore(file, end)) {
    for (const range of [...search.lines(block.bytes.toString('latin1'))].reverse()) {
      const line = lineAt(block, range, search);
      if (line === undefined) continue;
      lines.push(line);
      room -= line.text.length;
      const isFirst = block.at + range[0] === 0;
      if ((lines.length === query.limit || room < 0) && !isFirst)
        return { lines: lines.reverse(), next, previous: line.cursor };
    }
  }
  return { lines: lines.reverse(), next };
}

/** Undefined if the filter excludes the line, a crash tore it, or a cursor points into its middle. */
function lineAt({ at, bytes }: LogBlock, [start, end]: LineRange, search: LineSearch): LogLine | undefined {
  try {
    const entry = JSON.parse(bytes.toString('utf8', start, end)) as LogEntry | null;
    if (typeof entry?.text !== 'string' || !search.isMeant(entry)) return undefined;
    return { ...entry, cursor: String(at + end + 1) };
  } catch {
    return undefined;
  }
}

/** A line that a crash or a full disk tore must not damage the next one. */
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
