/**
 * The tasks of a timeline that are too many to be shown one by one: the time during which any of them ran, as a few
 * bars per step run. The more there are, the longer a gap must be to remain visible. The bars never hide that something
 * ran.
 */
import type { Attempt, Span } from './run-source.ts';

const MOST_BARS = 200;

interface Bars {
  span: Span;
  bars: Attempt[];
  running: number;
  /** In milliseconds: what is closer together becomes one bar. */
  gap: number;
}

export class TaskBars {
  readonly #spans = new Map<Span, Bars>();
  /** By job: a job runs one task at a time. */
  readonly #running = new Map<string, Bars>();
  readonly #parked = new Map<string, Bars>();

  begin(job: string, at: number, span: Span): void {
    // A job whose lease expired begins again without having ended.
    this.#stop(job, at);
    const bars = this.#spans.get(span) ?? { span, bars: [], running: 0, gap: 0 };
    this.#spans.set(span, bars);
    this.#continue(job, at, bars, 1);
  }

  end(job: string, at: number, span: Span): void {
    if (!this.#running.has(job)) this.begin(job, at, span);
    this.#stop(job, at);
  }

  park(job: string, at: number): void {
    const bars = this.#stop(job, at);
    if (bars) this.#parked.set(job, bars);
  }

  resume(job: string, at: number): void {
    const bars = this.#parked.get(job);
    if (bars) this.#continue(job, at, bars, 0);
  }

  #continue(job: string, at: number, bars: Bars, count: number): void {
    this.#parked.delete(job);
    this.#running.set(job, bars);
    const last = bars.bars.at(-1);
    const isClose = last && (last.end === undefined || at - last.end <= bars.gap);
    const bar = isClose ? last : newBar(at);
    bar.count! += count;
    delete bar.end;
    bars.running += 1;
    if (isClose) return;
    bars.bars.push(bar);
    bars.span.tasks.push(bar);
    if (bars.bars.length > MOST_BARS) coarsen(bars);
  }

  #stop(job: string, at: number): Bars | undefined {
    const bars = this.#running.get(job);
    if (bars === undefined) return undefined;
    this.#running.delete(job);
    bars.running -= 1;
    if (bars.running === 0) bars.bars.at(-1)!.end = at;
    return bars;
  }
}

const newBar = (start: number): Attempt => ({
  id: '',
  label: '',
  attempt: 1,
  count: 0,
  start,
  failed: false,
  waits: [],
});

/** Only the last bar can still grow, so all others have an end. Failed tasks stay above the bars. */
function coarsen(all: Bars): void {
  const before = new Set(all.bars);
  while (all.bars.length > MOST_BARS / 2) {
    all.gap = Math.max(1, all.gap * 2);
    all.bars = joined(all.bars, all.gap);
  }
  all.span.tasks = [...all.bars, ...all.span.tasks.filter((task) => !before.has(task))];
}

function joined(bars: readonly Attempt[], gap: number): Attempt[] {
  const kept: Attempt[] = [];
  for (const bar of bars) {
    const last = kept.at(-1);
    if (last === undefined || bar.start - last.end! > gap) {
      kept.push(bar);
      continue;
    }
    last.count! += bar.count!;
    if (bar.end === undefined) delete last.end;
    else last.end = bar.end;
  }
  return kept;
}
