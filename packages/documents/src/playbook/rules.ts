/**
 * The shape that admission and task policies share: a list of `{when, then}` and at most one `{else: {then}}`, which is
 * evaluated last wherever it is in the list.
 */
import { child, type ListNode, type MapNode, type Node } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import { isConditionWord } from './misplaced-keys.ts';
import type { Reading } from './reading.ts';

export interface Rule {
  /** The map that was written, for positions. */
  node: MapNode;
  /** Absent on `else`. */
  when?: Node;
  then?: MapNode;
}

export function readRules(reading: Reading, list: ListNode): Rule[] {
  const rules = list.items.map((item) => readRule(reading, item)).filter((rule) => rule !== undefined);
  const elses = rules.filter((rule) => rule.when === undefined);
  for (const extra of elses.slice(1)) reading.report(problems.manyElse(reading.keySpan(extra.node)));
  if (elses[0] && elses.length === 1 && rules.at(-1) !== elses[0]) {
    reading.report(problems.elseNotLast(reading.keySpan(elses[0].node)));
  }
  return [...rules.filter((rule) => rule.when !== undefined), ...elses.slice(0, 1)];
}

function readRule(reading: Reading, item: Node): Rule | undefined {
  const node = reading.takeMap(item, 'a rule');
  if (!node) return undefined;
  reading.checkKeys(node, 'a rule', ['when', 'then', 'else']);
  const when = child(node, 'when');
  const isElse = node.entries.has('else');
  if (isElse ? when !== undefined || node.entries.has('then') : when === undefined) {
    const isReported = [...node.entries.keys()].some(isConditionWord);
    return isReported ? undefined : reading.report(problems.ruleShape(reading.keySpan(node)));
  }
  const holder = isElse ? reading.takeMap(child(node, 'else'), '`else`') : node;
  if (isElse && holder) reading.checkKeys(holder, '`else`', ['then'], ['do', 'allow']);
  const then = reading.takeMap(child(holder, 'then'), '`then`');
  return { node, ...(when ? { when } : {}), ...(then ? { then } : {}) };
}
