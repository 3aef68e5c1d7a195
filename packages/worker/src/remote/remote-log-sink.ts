/** What tasks print, sent to the server in batches. While the server is unreachable, a bounded amount is kept. */
import type { Assignment } from '@woof/net';
import type { WireLogLine, WorkApi } from '@woof/protocol';
import type { LogSink } from '../log-sink.ts';
import { aborted, retrying } from './retrying.ts';
import { Sender } from './sender.ts';

const SEND_AFTER_MS = 50;
const MOST_KEPT = 4 * 1024 * 1024;
const MOST_AT_ONCE = 512 * 1024;
/** A line costs more than its text, in memory and in a call, and tasks may print many short lines. */
const MOST_LINES_KEPT = 40_000;
const MOST_LINES_AT_ONCE = 4000;
const LAST_WORDS_MS = 3000;

export class RemoteLogSink implements LogSink {
  private lines: WireLogLine[] = [];
  private kept = 0;
  private dropped = 0;
  /** How many lines were queued, and how many of them were sent or given up. */
  private queued = 0;
  private settled = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly giveUp = new AbortController();
  private readonly sender = new Sender(
    () => this.lines.length === 0,
    () => this.sendBatch(),
  );

  constructor(
    private readonly api: WorkApi,
    private readonly now: () => number = Date.now,
  ) {}

  write(assignment: Assignment, taskRunId: string, stream: 'stdout' | 'stderr', text: string): void {
    if (this.kept + text.length > MOST_KEPT || this.lines.length >= MOST_LINES_KEPT) {
      this.dropped += text.length;
      return;
    }
    const { execution_id, job_id, step } = assignment;
    const at = new Date(this.now()).toISOString();
    this.kept += text.length;
    this.queued += 1;
    this.lines.push({ execution_id, job_id, step: step.name, task_run_id: taskRunId, at, stream, text });
    this.timer ??= setTimeout(() => this.send(), SEND_AFTER_MS);
  }

  /** Resolves when the server has received or refused everything written so far. */
  async upToNow(): Promise<void> {
    const { queued } = this;
    while (this.settled < queued && !this.giveUp.signal.aborted) {
      this.sender.wake();
      await this.sender.some();
    }
  }

  /** What an unreachable server does not receive in time is lost. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.sender.wake();
    const late = setTimeout(() => this.giveUp.abort(), LAST_WORDS_MS);
    await Promise.race([this.sender.idle(), aborted(this.giveUp.signal)]);
    clearTimeout(late);
  }

  private send(): void {
    this.timer = undefined;
    this.sender.wake();
  }

  /** What the server refuses is lost: a task does not fail because of its output. */
  private async sendBatch(): Promise<void> {
    const lines = this.takeBatch();
    await retrying(() => this.api.log({ lines }), this.giveUp.signal).catch(() => {});
    this.settled += lines.length;
  }

  private takeBatch(): WireLogLine[] {
    let size = 0;
    let count = 0;
    while (
      count < Math.min(this.lines.length, MOST_LINES_AT_ONCE) &&
      (count === 0 || size + this.lines[count]!.text.length <= MOST_AT_ONCE)
    ) {
      size += this.lines[count]!.text.length;
      count += 1;
    }
    const batch = this.lines.splice(0, count);
    this.kept -= size;
    const last = batch.at(-1);
    if (last && this.dropped > 0) {
      last.text += `\n… ${this.dropped} characters were dropped while the server was unreachable\n`;
      this.dropped = 0;
    }
    return batch;
  }
}
