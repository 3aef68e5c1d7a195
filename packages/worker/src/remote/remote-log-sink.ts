/** What tasks print, sent to the server in batches; while it is away, as much as is bounded is kept. */
import type { Assignment } from '@woof/net';
import type { WireLogLine, WorkApi } from '@woof/protocol';
import type { LogSink } from '../log-sink.ts';
import { retrying } from './retrying.ts';

const SEND_AFTER_MS = 50;
const MOST_KEPT = 4 * 1024 * 1024;
const MOST_AT_ONCE = 512 * 1024;

export class RemoteLogSink implements LogSink {
  private lines: WireLogLine[] = [];
  private kept = 0;
  private dropped = 0;
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> | undefined;

  constructor(
    private readonly api: WorkApi,
    private readonly now: () => number = Date.now,
  ) {}

  write(assignment: Assignment, taskRunId: string, stream: 'stdout' | 'stderr', text: string): void {
    if (this.kept + text.length > MOST_KEPT) {
      this.dropped += text.length;
      return;
    }
    const { execution_id, job_id, step } = assignment;
    const at = new Date(this.now()).toISOString();
    this.kept += text.length;
    this.lines.push({ execution_id, job_id, step: step.name, task_run_id: taskRunId, at, stream, text });
    this.timer ??= setTimeout(() => this.send(), SEND_AFTER_MS);
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.send();
    await this.sending;
  }

  private send(): void {
    this.timer = undefined;
    this.sending ??= this.sendAll().finally(() => {
      this.sending = undefined;
    });
  }

  private async sendAll(): Promise<void> {
    while (this.lines.length > 0) {
      const batch = this.takeBatch();
      // What the server refuses is lost; a task does not fail for its words.
      await retrying(() => this.api.log({ lines: batch })).catch(() => {});
    }
  }

  private takeBatch(): WireLogLine[] {
    let size = 0;
    let count = 0;
    while (
      count < this.lines.length &&
      (count === 0 || size + this.lines[count]!.text.length <= MOST_AT_ONCE)
    ) {
      size += this.lines[count]!.text.length;
      count += 1;
    }
    const batch = this.lines.splice(0, count);
    this.kept -= size;
    const last = batch.at(-1);
    if (last && this.dropped > 0) {
      last.text += `\n… ${this.dropped} characters were dropped while the server was away\n`;
      this.dropped = 0;
    }
    return batch;
  }
}
