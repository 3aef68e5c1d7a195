/** The current state of the run. */
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { RunNow, ServerSource } from './run-now.ts';

export interface NewestMoment {
  moment: Signal<RunNow | undefined>;
  /** The log cannot be folded. */
  error: Signal<unknown>;
}

export function useNewestMoment(source: ServerSource | undefined): NewestMoment {
  const latest = useMemo<NewestMoment>(
    () => ({ moment: signal(undefined), error: signal(undefined) }),
    [source],
  );
  useEffect(() => (source === undefined ? undefined : keepUp(source, latest)), [source, latest]);
  return latest;
}

/**
 * Asks again when the last answer has arrived: a fast run is updated as often as possible, and requests never queue up.
 */
function keepUp(source: ServerSource, { moment, error }: NewestMoment): () => void {
  let asked = -1;
  let isBusy = false;
  let isOver = false;
  const look = async () => {
    if (isBusy || isOver) return;
    isBusy = true;
    while (!isOver && asked !== source.head.peek().length) {
      asked = source.head.peek().length;
      try {
        moment.value = await source.now();
      } catch (problem) {
        error.value = problem;
      }
    }
    isBusy = false;
  };
  const stop = source.head.subscribe(() => void look());
  return () => {
    isOver = true;
    stop();
  };
}
