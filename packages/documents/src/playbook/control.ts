import type { MapNode, Node } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

/**
 * The policy of a scope, with the fields that it has. A policy without fields is reserved for later versions and must
 * be empty.
 */
export function takePolicy(
  reading: Reading,
  policy: Node | undefined,
  what: string,
  known: readonly string[] = [],
): MapNode | undefined {
  const before = reading.diagnostics.length;
  refuseControl(reading, policy, what);
  const map = reading.takeMap(policy, what);
  if (map && reading.diagnostics.length === before) reading.checkKeys(map, what, known);
  return map;
}

/** Only tasks direct the pipeline: `do` may not appear anywhere in the policy of another scope. */
function refuseControl(reading: Reading, policy: Node | undefined, what: string): void {
  if (policy?.type === 'list') for (const item of policy.items) refuseControl(reading, item, what);
  if (policy?.type !== 'map') return;
  for (const { key, at, value } of policy.entries.values()) {
    if (key === 'do') reading.report(problems.controlOutsideTask(reading.span(at), what));
    else refuseControl(reading, value, what);
  }
}
