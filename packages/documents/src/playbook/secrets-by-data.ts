/**
 * `auth: "{{ workload.which }}"`, or `{{ which }}`, where the workload's own value is a name: a run would refuse it.
 */
import { isObject, type Json, RESERVED_NAMES } from '@woof/net';
import type { Node } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

const PATH = /^\s*\{\{-?\s*([A-Za-z_]\w*(?:\.\w+)*)\s*-?\}\}\s*$/;
/** A word, not an address. */
const NAME = /^[\w.-]+$/;

export function refuseSecretsByData(reading: Reading, key: string, node: Node, tool: string): void {
  if (node.type === 'map')
    for (const each of node.entries.values()) refuseSecretsByData(reading, each.key, each.value, tool);
  if (node.type !== 'scalar' || typeof node.value !== 'string') return;
  if (key !== 'auth' && key !== 'credential') return;
  const [root = '', ...others] = PATH.exec(node.value)?.[1]?.split('.') ?? [];
  const path = root === 'workload' ? others : RESERVED_NAMES.has(root) ? [] : [root, ...others];
  const value = path.length > 0 ? at(reading.workload, path) : undefined;
  if (typeof value !== 'string') return;
  const place = reading.span(node);
  if (reading.secrets.has(value)) reading.report(problems.secretByData(place, key, value));
  else if (NAME.test(value))
    reading.report(problems.unknownSecret(place, value, [...reading.secrets], { tool, byData: key }));
}

function at(value: Json, path: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const key of path) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}
