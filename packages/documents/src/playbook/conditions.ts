/** `when` is the only condition, and only where it belongs; every other spelling is refused. */
import type { MapNode, Node } from '../yaml/tree.ts';
import { CONDITION_KEYS } from './condition-keys.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

/** `allowed` are fields that the tool itself has under such a name. */
export function refuseConditions(
  reading: Reading,
  map: MapNode,
  what: string,
  instead: string,
  allowed: (key: string) => boolean = () => false,
): void {
  for (const key of CONDITION_KEYS) {
    const entry = map.entries.get(key);
    if (!entry || allowed(key)) continue;
    reading.report(problems.condition(reading.span(entry.at), key, what, instead));
  }
}

/** Only tasks direct the pipeline: `do` may not stand anywhere in another scope's policy. */
export function refuseControl(reading: Reading, policy: Node | undefined, what: string): void {
  if (policy?.type === 'list') for (const item of policy.items) refuseControl(reading, item, what);
  if (policy?.type !== 'map') return;
  for (const { key, at, value } of policy.entries.values()) {
    if (key === 'do') reading.report(problems.controlOutsideTask(reading.span(at), what));
    else refuseControl(reading, value, what);
  }
}
