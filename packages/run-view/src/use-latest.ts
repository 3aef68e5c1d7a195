/** Answers to questions that change faster than they are answered: one at a time, and the newest question next. */
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { Moment, RunSource } from './run-source.ts';
import { chosenSeq, type Selection } from './selection.ts';
import { useValue } from './use-value.ts';

type Question<A> = () => Promise<A | undefined>;

/**
 * The question is asked again when one of `inputs` changes. When `source` changes, answers from the previous source are
 * dropped. If a question cannot be answered yet, the last answer stays.
 */
export function useLatest<A>(source: unknown, ask: Question<A>, inputs: readonly unknown[]): A | undefined {
  const [answer, setAnswer] = useState<A>();
  const asker = useMemo(() => newestAsker<A>(setAnswer), [source]);
  useLayoutEffect(() => asker.end, [asker]);
  useLayoutEffect(() => asker.put(ask), [asker, ...inputs]);
  return answer;
}

function newestAsker<A>(take: (answer: A) => void) {
  let wanted: Question<A>;
  let [isAsking, isOver] = [false, false];
  const next = async (): Promise<void> => {
    isAsking = true;
    const asked = wanted;
    const said = await asked().catch(() => undefined);
    isAsking = false;
    if (isOver) return;
    if (said !== undefined) take(said);
    if (wanted !== asked) void next();
  };
  return {
    put(question: Question<A>): void {
      wanted = question;
      if (!isAsking) void next();
    },
    end(): void {
      isOver = true;
    },
  };
}

/** The run at the chosen moment. */
export function useMoment(source: RunSource, selection: Selection): Moment | undefined {
  const head = useValue(source.head);
  const seq = chosenSeq(useValue(selection.seq), head);
  return useLatest(source, () => source.at(seq), [seq, head]);
}
