/** The status of a step, on one line. */
import type { Event, State, StepSummary } from '@woof/net';
import { duration, glyph, harmless, oneLine, type Painter } from '../terminal.ts';
import { fitted } from '../text-width.ts';

const BAR_WIDTH = 20;
/** A narrower screen has no room for a bar beside name, time and count. */
const COLUMNS_FOR_BAR = 60;

/** The step that this event ended; iterations are not steps. */
export function endedStep(event: Event): string | undefined {
  switch (event.name) {
    case 'step.done':
    case 'step.failed':
    case 'step.cancelled':
      return event.step;
    case 'loop.done':
      return event.iteration_id === undefined ? event.step : undefined;
    default:
      return undefined;
  }
}

/** The cell whose result this event took from the cache. */
export function cachedStep(event: Event): string | undefined {
  return event.name === 'task.done' && event.data.outcome.cached === true ? event.step : undefined;
}

export function stepLine(
  step: string,
  state: State,
  now: number,
  paint: Painter,
  cached: ReadonlySet<string> = new Set(),
  columns = Number.POSITIVE_INFINITY,
): string {
  const summary = state.steps.get(step);
  if (summary === undefined) return `  ${harmless(step)}`;
  return summaryLine(step, summary, now, paint, cached.has(step), columns);
}

export function summaryLine(
  step: string,
  summary: StepSummary,
  now: number,
  paint: Painter,
  isCached = false,
  columns = Number.POSITIVE_INFINITY,
): string {
  const { status, started_at: start, ended_at: end, error } = summary;
  const until = status === 'running' ? now : (end ?? now);
  const parts = [
    `${glyph(status, paint)} ${nameOf(step, summary, columns)}`,
    start === undefined ? '' : paint(duration(until - start), 'dim'),
    ...counts(summary, columns),
    status === 'succeeded' && isCached ? paint('cached', 'dim') : '',
    status === 'failed' && error ? paint(oneLine(error.message), 'red') : '',
  ];
  return parts.filter((part) => part !== '').join('  ');
}

/** A long name must not push the count of a loop off the screen. */
function nameOf(step: string, { status, stats }: StepSummary, columns: number): string {
  const name = harmless(step);
  return status === 'running' && stats ? fitted(name, Math.floor(columns / 3)) : name;
}

function counts({ status, runs, retries, stats }: StepSummary, columns: number): string[] {
  const parts: string[] = [];
  const hasBar = status === 'running' && columns >= COLUMNS_FOR_BAR;
  if (stats && stats.total > 0) parts.push(loopCount(stats, hasBar));
  if (runs > 1) parts.push(`run ${runs}`);
  if (retries > 0) parts.push(`${retries} ${retries === 1 ? 'retry' : 'retries'}`);
  return parts;
}

function loopCount(stats: NonNullable<StepSummary['stats']>, withBar: boolean): string {
  const done = stats.succeeded + stats.failed;
  const filled = Math.floor((done / stats.total) * BAR_WIDTH);
  const bar = withBar ? `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ` : '';
  return `${bar}${iterationCount(stats)}`;
}

/** How many iterations have ended, successfully or not, out of all. */
export function iterationCount({ total, succeeded, failed }: NonNullable<StepSummary['stats']>): string {
  return `${succeeded + failed}/${total}${failed > 0 ? `, ${failed} failed` : ''}`;
}
