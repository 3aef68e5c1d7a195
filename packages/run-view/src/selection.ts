/** What is chosen in the views of a run. The caller owns it: in Studio it is the address of the page. */
import type { Signal } from '@preact/signals';
import type { Head } from './run-source.ts';

export type View = 'graph' | 'timeline' | 'events' | 'logs';

export interface Selection {
  view: Signal<View>;
  /** `last`: the end of the log, wherever that is. */
  seq: Signal<number | 'last'>;
  step: Signal<string | undefined>;
  /** The cursor of a line of the log. */
  line: Signal<string | undefined>;
}

export function chosenSeq({ seq }: Selection, { length }: Head): number {
  return seq.value === 'last' ? length : Math.min(Math.max(0, seq.value), length);
}

/** The end is chosen as `last`, so that the views follow a run in progress. */
export function seek({ seq }: Selection, wanted: number, { length }: Head): void {
  seq.value = wanted >= length ? 'last' : Math.max(0, Math.trunc(wanted));
}
