/**
 * Step runs, as the events report them one by one. The state of an execution knows only the latest run of a step, and
 * may be ahead of the events: for a step that runs again and again, it says nothing about the run that just ended.
 */
import type { Event, State, StepSummary } from '@woof/net';
import { cachedStep } from './step-line.ts';

interface Known {
  startedAt?: number;
  retries: number;
  isCached: boolean;
}

/** The contents of a run's line. */
export interface RunSummary {
  summary: StepSummary;
  isCached: boolean;
}

export class StepRuns {
  readonly #known = new Map<string, Known>();

  note(event: Event): void {
    const { step_run_id: id } = event;
    if (id === undefined) return;
    if (event.name === 'step.started') this.#of(id).startedAt = event.at;
    if (event.name !== 'task.done') return;
    if (event.data.directive.do === 'retry') this.#of(id).retries += 1;
    if (cachedStep(event) !== undefined) this.#of(id).isCached = true;
  }

  /** The status of a run after the event that ended it. */
  ended(event: Event, state: State): RunSummary | undefined {
    const { step_run_id: id = '' } = event;
    const known = this.#of(id);
    this.#known.delete(id);
    return this.#summary(event.step!, id, known, state, { ...endOf(event), ended_at: event.at });
  }

  /** Undefined if it is not running, as far as the state knows. */
  running(id: string, state: State): RunSummary | undefined {
    const run = state.runs.get(id);
    if (run === undefined || run.ended) return undefined;
    return this.#summary(run.step, id, this.#of(id), state, { status: 'running' });
  }

  /** The state also knows what happened before the first event received. */
  #summary(
    step: string,
    id: string,
    { isCached, retries, startedAt }: Known,
    state: State,
    how: Partial<StepSummary>,
  ): RunSummary | undefined {
    const latest = state.steps.get(step);
    if (latest === undefined) return undefined;
    if (latest.runs <= 1) return { summary: latest, isCached };
    const started = startedAt === undefined ? {} : { started_at: startedAt };
    return { summary: { status: 'running', runs: numberOf(id), retries, ...started, ...how }, isCached };
  }

  #of(id: string): Known {
    let known = this.#known.get(id);
    if (known === undefined) {
      known = { retries: 0, isCached: false };
      this.#known.set(id, known);
    }
    return known;
  }
}

function endOf(event: Event): Pick<StepSummary, 'status' | 'error' | 'stats'> {
  switch (event.name) {
    case 'step.failed':
      return {
        status: 'failed',
        error: event.data.error,
        ...(event.data.stats && { stats: event.data.stats }),
      };
    case 'step.cancelled':
      return { status: 'cancelled' };
    case 'loop.done':
      return { status: 'succeeded', stats: event.data.stats };
    default:
      return { status: 'succeeded' };
  }
}

/** `fetch.2` is the second run of `fetch`. */
const numberOf = (id: string) => Number(id.slice(id.lastIndexOf('.') + 1));
