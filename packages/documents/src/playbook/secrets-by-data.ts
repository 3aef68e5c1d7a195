/** `auth: "{{ workload.which }}"` with the name of an entry as the workload's own value: a run would refuse it. */
import { isObject, type Json } from '@woof/net';
import type { Node } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

const OF_WORKLOAD = /^\s*\{\{-?\s*workload((?:\.\w+)+)\s*-?\}\}\s*$/;

export function refuseSecretsByData(reading: Reading, key: string, node: Node): void {
  if (node.type === 'map')
    for (const each of node.entries.values()) refuseSecretsByData(reading, each.key, each.value);
  if (node.type !== 'scalar' || typeof node.value !== 'string') return;
  if (key !== 'auth' && key !== 'credential') return;
  const path = OF_WORKLOAD.exec(node.value)?.[1]?.slice(1).split('.') ?? [];
  const value = path.length > 0 ? at(reading.workload, path) : undefined;
  if (typeof value === 'string' && reading.secrets.has(value))
    reading.report(problems.secretByData(reading.span(node), key, value));
}

function at(value: Json, path: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const key of path) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}
