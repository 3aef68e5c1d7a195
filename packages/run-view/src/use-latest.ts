/** Answers to questions that change faster than they are answered: one at a time, and the newest question next. */
import { effect, type ReadonlySignal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { Moment, RunSource } from './run-source.ts';
import { chosenSeq, type Selection } from './selection.ts';

/**
 * `question` reads signals and is evaluated again when one of them changes. If a question cannot be answered yet, the
 * last answer stays.
 */
export function useLatest<Q, A>(
  question: () => Q,
  ask: (question: Q) => Promise<A>,
  inputs: readonly unknown[],
): ReadonlySignal<A | undefined> {
  const answer = useSignal<A | undefined>(undefined);
  useLayoutEffect(() => {
    let wanted: Q;
    let [isAsking, isOver] = [false, false];
    const next = async (): Promise<void> => {
      isAsking = true;
      const asked = wanted;
      const said = await ask(asked).catch(() => undefined);
      isAsking = false;
      if (isOver) return;
      if (said !== undefined) answer.value = said;
      if (wanted !== asked) void next();
    };
    const stop = effect(() => {
      wanted = question();
      if (!isAsking) void next();
    });
    return () => {
      isOver = true;
      stop();
    };
  }, inputs);
  return answer;
}

/** The run at the chosen moment. */
export function useMoment(source: RunSource, selection: Selection): ReadonlySignal<Moment | undefined> {
  return useLatest(
    () => ({ seq: chosenSeq(selection, source.head.value) }),
    ({ seq }) => source.at(seq),
    [source],
  );
}
