/**
 * Shows output among the events that it belongs to. A task may write while the events before it still wait for the
 * disk: its output waits for them too.
 */
import type { Event, State } from '@woof/net';
import type { LogEntry } from '@woof/stores';
import type { Progress } from './progress.ts';

/** A program that writes without end must not fill the memory while the disk is slow. */
const MOST_WAITING = { pieces: 1000, letters: 10_000_000 };

export class OutputInOrder {
  private waiting: { after: number; line: LogEntry }[] = [];
  private letters = 0;
  private shown = 0;

  constructor(private readonly progress: Progress) {}

  onEvents(events: readonly Event[], state: State, from: number): void {
    this.shown = from + events.length;
    const ready = this.waiting.findIndex(({ after }) => after > this.shown);
    this.release(ready < 0 ? this.waiting.length : ready);
    this.progress.onEvents(events, state);
  }

  /** `after`: how many events the run had when the line was written. */
  onLog(line: LogEntry, after: number): void {
    this.waiting.push({ after, line });
    this.letters += line.text.length;
    const isFull = this.waiting.length > MOST_WAITING.pieces || this.letters > MOST_WAITING.letters;
    if (after <= this.shown || isFull) this.release(this.waiting.length);
  }

  end(): void {
    this.release(this.waiting.length);
    this.progress.end();
  }

  private release(count: number): void {
    for (const { line } of this.waiting.splice(0, count)) {
      this.letters -= line.text.length;
      this.progress.onLog(line);
    }
  }
}
