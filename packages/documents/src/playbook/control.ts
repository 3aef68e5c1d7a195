import type { Node } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

/** Only tasks direct the pipeline: `do` may not stand anywhere in another scope's policy. */
export function refuseControl(reading: Reading, policy: Node | undefined, what: string): void {
  if (policy?.type === 'list') for (const item of policy.items) refuseControl(reading, item, what);
  if (policy?.type !== 'map') return;
  for (const { key, at, value } of policy.entries.values()) {
    if (key === 'do') reading.report(problems.controlOutsideTask(reading.span(at), what));
    else refuseControl(reading, value, what);
  }
}
