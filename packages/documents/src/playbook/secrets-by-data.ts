/**
 * `auth: "{{ workload.which }}"`, or `{{ which }}`, where the workload's own value is a name: a run would refuse it.
 */
import { textInWorkload } from '@woof/net';
import type { Node } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

/** A word, not an address. */
const NAME = /^[\w.-]+$/;

export function refuseSecretsByData(reading: Reading, key: string, node: Node, tool: string): void {
  if (node.type === 'map')
    for (const each of node.entries.values()) refuseSecretsByData(reading, each.key, each.value, tool);
  if (node.type !== 'scalar' || typeof node.value !== 'string') return;
  if (key !== 'auth' && key !== 'credential') return;
  const value = textInWorkload(node.value, reading.workload);
  if (value === undefined) return;
  const place = reading.span(node);
  if (reading.secrets.has(value)) reading.report(problems.secretByData(place, key, value));
  else if (NAME.test(value))
    reading.report(problems.unknownSecret(place, value, [...reading.secrets], { tool, byData: key }));
}
