/** Progress for files and pipes: a line when a step starts, ends or retries; for a loop, a line for every tenth. */
import type { Event, EventOf, State } from '@woof/net';
import type { LogEntry } from '@woof/stores';
import { duration, harmless, oneLine, painter } from '../terminal.ts';
import { type WholeLine, WholeLines } from '../whole-lines.ts';
import { HeldLines } from './held-lines.ts';
import type { Progress } from './progress.ts';
import { endedStep, stepLine, summaryLine } from './step-line.ts';
import { type RunSummary, StepRuns } from './step-runs.ts';

/** Lines are written in batches: one write per step would cost more than the step. */
const BATCH_MS = 100;
const MAX_LINES_A_BATCH = 200;

export class PlainProgress implements Progress {
  private readonly paint;
  private lines: string[] = [];
  private added = 0;
  private unshown = 0;
  /** Step runs that started since the last batch; one that also ended in it gets no line for its start. */
  private readonly fresh = new Map<string, string>();
  private readonly tenths = new Map<string, number>();
  private readonly runs = new StepRuns();
  readonly showsLogs = true;
  private readonly written = new WholeLines();
  private readonly held = new HeldLines(MAX_LINES_A_BATCH);
  private state: State | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly stream: { isTTY?: boolean; write(text: string): unknown }) {
    this.paint = painter(stream);
  }

  onEvents(events: readonly Event[], state: State): void {
    this.state = state;
    for (const event of events) {
      this.runs.note(event);
      if (event.name === 'step.started') this.fresh.set(event.step_run_id!, event.step!);
      else if (event.name === 'task.done') this.noteRetry(event);
      else if (event.name === 'execution.paused')
        this.add(`⏸ paused; continue with: woof resume ${state.execution_id}`);
      else if (event.name === 'execution.resumed') this.add('▶ resumed');
      else {
        const ended = endedStep(event);
        if (ended !== undefined) this.noteEnd(ended, event, state);
      }
    }
    this.timer ??= setTimeout(() => this.flush(), BATCH_MS).unref();
  }

  onLog(piece: LogEntry): void {
    for (const line of this.written.take(piece)) this.hold(line);
    this.timer ??= setTimeout(() => this.flush(), BATCH_MS).unref();
  }

  say(line: string): void {
    this.lines.push(line);
    this.flush();
  }

  end(): void {
    for (const line of this.written.rest()) this.hold(line);
    this.flush();
  }

  private hold(line: WholeLine): void {
    if (!this.held.add(line)) this.unshown += 1;
  }

  private addWritten({ step, text }: WholeLine): void {
    this.add(`  ${harmless(step)} | ${harmless(text, 'lines')}`);
  }

  private noteEnd(step: string, event: Event, state: State): void {
    for (const line of [...this.held.take(step), ...this.written.rest(step)]) this.addWritten(line);
    this.fresh.delete(event.step_run_id!);
    this.tenths.delete(step);
    const run = this.runs.ended(event, state);
    // Printed however much else is: this is what the reader looks for.
    if (run) this.lines.push(this.runLine(step, run));
  }

  private runLine(step: string, { summary, isCached }: RunSummary): string {
    return summaryLine(step, summary, Date.now(), this.paint, isCached);
  }

  private noteRetry(event: EventOf<'task.done'>): void {
    const { directive, outcome } = event.data;
    if (directive.do !== 'retry' || event.iteration_id !== undefined) return;
    // A rule can also retry a task that succeeded.
    const end = outcome.error ? `: ${oneLine(outcome.error.message)}` : ' succeeded';
    const wait = duration(directive.delay_ms ?? 0);
    this.add(
      `  ${harmless(event.step!)}: attempt ${event.attempt} of "${event.task_label}"${end}; retry in ${wait}`,
    );
  }

  private add(line: string): void {
    this.added += 1;
    if (this.added <= MAX_LINES_A_BATCH) this.lines.push(line);
    else this.unshown += 1;
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const line of this.held.take()) this.addWritten(line);
    const { state } = this;
    if (state) {
      // The state may be ahead of the events: what has ended there gets its line when its event arrives.
      for (const [id, step] of this.fresh) {
        const run = this.runs.running(id, state);
        if (run) this.add(this.runLine(step, run));
      }
      this.noteTenths(state, new Set(this.fresh.values()));
    }
    this.fresh.clear();
    if (this.unshown > 0) this.lines.push(`  … and ${this.unshown} more lines`);
    if (this.lines.length > 0) this.stream.write(`${this.lines.join('\n')}\n`);
    this.lines = [];
    this.added = 0;
    this.unshown = 0;
  }

  private noteTenths(state: State, fresh: ReadonlySet<string>): void {
    for (const [step, { status, stats }] of state.steps) {
      if (status !== 'running' || stats === undefined || stats.total < 10 || fresh.has(step)) continue;
      const tenth = Math.floor(((stats.succeeded + stats.failed) / stats.total) * 10);
      if (tenth <= (this.tenths.get(step) ?? 0)) continue;
      this.tenths.set(step, tenth);
      this.add(stepLine(step, state, Date.now(), this.paint));
    }
  }
}
