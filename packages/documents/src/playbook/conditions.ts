/** `when` is the only condition, and only where it belongs; every other spelling is refused. */
import type { MapNode, Node } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

/** Keys that other dialects and tools use for conditions. */
export const CONDITION_KEYS = ['expr', 'eval', 'if', 'unless', 'condition', 'case'] as const;

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
    const at = reading.span(entry.at);
    if (key === 'expr') reading.report(problems.expr(at));
    else if (key === 'eval') reading.report(problems.legacyEval(at));
    else reading.report(problems.conditionKey(at, key, what, instead));
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
