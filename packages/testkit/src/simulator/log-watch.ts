/**
 * Watches everything that is written, and checks it against what must be true of every log.
 *
 * It folds each execution a second time, independently, as the events arrive.
 */
import {
  decodeJson,
  type Event,
  emptyState,
  encodeJson,
  evolve,
  fromSnapshot,
  isEnded,
  jobIdOf,
  type Plan,
  type State,
  toSnapshot,
} from '@woof/net';
import type { Append } from '@woof/stores';
import { SightWatch } from './sight-watch.ts';

interface Watched {
  state: State;
  plan: Plan;
  events: Event[];
  /** Step runs and iterations that ended. */
  ended: Set<string>;
  /** Tokens created and not yet consumed. */
  tokens: Set<string>;
  /** Task runs that are recorded. */
  done: Set<string>;
  sight: SightWatch;
}

export interface Effect {
  jobId: string;
  taskRunId: string;
  fence: number;
}

export class Violation extends Error {}

export class LogWatch {
  private readonly watched = new Map<string, Watched>();

  /** If nothing fails, nobody loses a lease. */
  constructor(private readonly isQuiet = false) {}

  /** Called with each frame that the store accepted. */
  see({ execution_id: id, expected, events, plan }: Append): void {
    const known = this.watched.get(id) ?? this.begin(id, plan?.plan);
    check(known.state.seq === expected, id, `a frame at ${expected} was taken at ${known.state.seq}`);
    for (const event of decodeJson(encodeJson(events)) as Event[]) this.fold(known, event);
  }

  stateOf(id: string): State | undefined {
    return this.watched.get(id)?.state;
  }

  hasDone(id: string, taskRunId: string): boolean {
    return this.watched.get(id)?.done.has(taskRunId) ?? false;
  }

  /** Nobody starts a task run that is done, or one under a lease that the log has revoked. */
  checkEffect(id: string, { jobId, taskRunId, fence }: Effect): void {
    const { state, done } = this.watched.get(id)!;
    check(!done.has(taskRunId), id, `${taskRunId} is done, and begins again`);
    const job = state.jobs.get(jobId);
    const isLost = job !== undefined && (job.fence > fence || job.status === 'ready');
    check(
      !isLost,
      id,
      `${taskRunId} begins under fence ${fence}, and the job is ${job?.status} at ${job?.fence}`,
    );
  }

  get unended(): State[] {
    return [...this.watched.values()].map(({ state }) => state).filter((state) => !isEnded(state));
  }

  get events(): number {
    return [...this.watched.values()].reduce((sum, { events }) => sum + events.length, 0);
  }

  /** Snapshot and tail give the same state as the whole log, at any cut. */
  checkReplay(cut: (length: number) => number): void {
    for (const [id, { plan, events, state }] of this.watched) {
      const at = cut(events.length);
      let replayed = emptyState(id, plan);
      for (const event of events.slice(0, at)) evolve(replayed, event);
      const agenda = replayed.agenda;
      const atRest = Object.values(agenda).every((set: Set<string>) => set.size === 0);
      if (atRest) replayed = fromSnapshot(decodeJson(encodeJson(toSnapshot(replayed))), plan);
      for (const event of events.slice(at)) evolve(replayed, event);
      check(text(replayed) === text(state), id, `a replay cut at ${at} gives another state`);
    }
  }

  private begin(id: string, plan: Plan | undefined): Watched {
    check(plan !== undefined, id, 'its first frame has no plan');
    const copy = decodeJson(encodeJson(plan)) as Plan;
    const sets = { ended: new Set<string>(), tokens: new Set<string>(), done: new Set<string>() };
    const state = emptyState(id, copy);
    const watched: Watched = { state, plan: copy, events: [], ...sets, sight: new SightWatch(state) };
    this.watched.set(id, watched);
    return watched;
  }

  private fold(watched: Watched, event: Event): void {
    const { state, events, ended, tokens, done, sight } = watched;
    const id = state.execution_id;
    check(!isEnded(state) || event.name === 'playbook.processed', id, `${event.name} after its end`);
    const job = jobIdOf(event) === undefined ? undefined : state.jobs.get(jobIdOf(event)!);
    switch (event.name) {
      case 'job.leased':
        check(job?.status === 'ready', id, `${jobIdOf(event)} was leased while ${job?.status}`);
        check(event.fence === job.fence + 1, id, `fence ${event.fence} after ${job.fence}`);
        break;
      case 'task.done':
        check(job?.status === 'leased', id, `${event.task_run_id} of a job that is ${job?.status}`);
        check(event.fence === job.fence, id, `${event.task_run_id} under fence ${event.fence}`);
        check(!done.has(event.task_run_id!), id, `${event.task_run_id} is recorded twice`);
        done.add(event.task_run_id!);
        break;
      case 'job.expired':
        check(!this.isQuiet, id, `${jobIdOf(event)} expired where nothing fails: ${event.data.reason}`);
        break;
      case 'token.enqueued':
        tokens.add(event.data.token);
        break;
      case 'step.scheduled':
      case 'token.denied':
        for (const token of event.data.tokens) spend(tokens, token, id);
        break;
      case 'token.dropped':
        spend(tokens, event.data.token, id);
        break;
      case 'step.done':
      case 'step.failed':
      case 'step.cancelled':
      case 'loop.iteration.done':
      case 'loop.iteration.failed': {
        const what = event.iteration_id ?? event.step_run_id!;
        check(!ended.has(what), id, `${what} ends twice`);
        ended.add(what);
        break;
      }
      case 'workflow.finished':
        check(tokens.size === 0, id, `it ends with tokens ${[...tokens]} left`);
    }
    events.push(event);
    evolve(state, event);
    const wronglySeen = sight.see(event);
    check(wronglySeen === undefined, id, wronglySeen ?? '');
  }
}

function spend(tokens: Set<string>, token: string, id: string): void {
  check(tokens.delete(token), id, `token ${token} was spent without being there`);
}

const text = (state: State): string => encodeJson(toSnapshot(state));

function check(condition: boolean, id: string, message: string): asserts condition {
  if (!condition) throw new Violation(`execution ${id}: ${message}`);
}
