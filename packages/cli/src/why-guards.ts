/** Reasons with the guards that were false, and the values that they read. */
import {
  type Event,
  emptyState,
  evolve,
  type KeptBack,
  keptBackBy,
  type Reason,
  type State,
} from '@woof/net';
import { LoadedOnce } from './loaded-once.ts';
import type { OpenRun } from './open-run.ts';

/** Folding a longer log again would take too long. */
const MOST_EVENTS = 200_000;
const MOST_GUARDS = 5;

export async function withGuards(
  { home, row }: OpenRun,
  state: State,
  reasons: readonly Reason[],
): Promise<Reason[]> {
  const isKept = ({ step }: Reason) => step !== '' && (state.steps.get(step)?.runs ?? 0) === 0;
  if (state.seq > MOST_EVENTS || !reasons.some(isKept)) return [...reasons];
  const events = async function* () {
    for await (const frame of home.frames(row, false)) yield* frame.events;
  };
  const refusals = await refusalsIn(events(), state, new LoadedOnce(home));
  return reasons.map((reason) => {
    const found = isKept(reason) ? [...(refusals.get(reason.step)?.values() ?? [])] : [];
    const all = found.flat();
    const more = all.length > MOST_GUARDS ? [`and ${all.length - MOST_GUARDS} more`] : [];
    const guards = [...all.slice(-MOST_GUARDS), ...more];
    return guards.length === 0 ? reason : { ...reason, reason: `${reason.reason}: ${guards.join('; ')}` };
  });
}

/**
 * By the step that was kept from running, then by the step that could have led to it, possibly over several arcs; of
 * several firings the last.
 */
async function refusalsIn(
  events: AsyncIterable<Event>,
  { execution_id, plan }: State,
  values: LoadedOnce,
): Promise<Map<string, Map<string, KeptBack['why'][]>>> {
  const found = new Map<string, Map<string, string[]>>();
  const state = emptyState(execution_id, plan);
  for await (const event of events) {
    const refusals = await values.using((load) => keptBackBy(state, event, load));
    for (const { step, from } of refusals) {
      const known = found.get(step) ?? new Map<string, string[]>();
      const between = refusals.filter((each) => each.step === step && each.from === from);
      found.set(
        step,
        known.set(
          from,
          between.map(({ why }) => why),
        ),
      );
    }
    evolve(state, event);
  }
  return found;
}
