/**
 * What tasks print, stored beside the log: one JSON line per piece, one file per execution, with a limit per task run.
 */
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Assignment } from '@woof/net';
import { KeptText, type LogEntry } from '@woof/stores';

export interface LogSink {
  write(assignment: Assignment, taskRunId: string, stream: 'stdout' | 'stderr', text: string): void;
  close(): Promise<void>;
}

const OPEN_FILES = 64;

export class FileLogSink implements LogSink {
  private readonly files = new Map<string, WriteStream>();
  private readonly kept = new KeptText();

  constructor(
    private readonly folder: string,
    private readonly onLine?: (line: LogEntry, executionId: string) => void,
  ) {}

  write(assignment: Assignment, taskRunId: string, stream: 'stdout' | 'stderr', text: string): void {
    const kept = this.kept.take(`${assignment.execution_id}\n${taskRunId}`, text);
    if (kept === '') return;
    const line: LogEntry = {
      at: new Date().toISOString(),
      step: assignment.step.name,
      job_id: assignment.job_id,
      task_run_id: taskRunId,
      stream,
      text: kept,
    };
    this.file(assignment.execution_id).write(`${JSON.stringify(line)}\n`);
    this.onLine?.(line, assignment.execution_id);
  }

  async close(): Promise<void> {
    const ended = [...this.files.values()].map(
      (file) => new Promise<void>((resolve) => file.end(() => resolve())),
    );
    this.files.clear();
    await Promise.all(ended);
  }

  private file(executionId: string): WriteStream {
    const open = this.files.get(executionId);
    if (open) return open;
    if (this.files.size >= OPEN_FILES) {
      const [oldest] = this.files.keys();
      this.files.get(oldest!)?.end();
      this.files.delete(oldest!);
    }
    mkdirSync(this.folder, { recursive: true });
    const file = createWriteStream(join(this.folder, `${executionId}.jsonl`), { flags: 'a' });
    // If a log cannot be written, the run must not fail.
    file.on('error', () => {});
    this.files.set(executionId, file);
    return file;
  }
}
