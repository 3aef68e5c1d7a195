import type { Head, Moment, RunSource } from './run-source.ts';
import type { Selection } from './selection.ts';

/** What each view of a run receives: the run, the choice, and how both are now. */
export interface ViewProps {
  source: RunSource;
  selection: Selection;
  moment: Moment | undefined;
  head: Head;
  /** The chosen moment, which `moment` follows. */
  seq: number;
  step: string | undefined;
}
