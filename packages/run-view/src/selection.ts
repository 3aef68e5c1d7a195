/** What is chosen in the views of a run. The caller owns it: in Studio it is the address of the page. */
import type { Writable } from './readable.ts';
import type { Head } from './run-source.ts';

export type View = 'graph' | 'timeline' | 'events' | 'logs';

export interface Selection {
  view: Writable<View>;
  /** `last`: the end of the log, wherever that is. */
  seq: Writable<number | 'last'>;
  step: Writable<string | undefined>;
  /** The cursor of a line of the log. */
  line: Writable<string | undefined>;
}

export function chosenSeq(seq: number | 'last', { length }: Head): number {
  return seq === 'last' ? length : Math.min(Math.max(0, seq), length);
}

/** The end is chosen as `last`, so that the views follow a run in progress. */
export function seek({ seq }: Selection, wanted: number, { length }: Head): void {
  seq.value = wanted >= length ? 'last' : Math.max(0, Math.trunc(wanted));
}
