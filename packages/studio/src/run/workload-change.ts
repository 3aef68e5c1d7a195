/** What a person changed in the workload of a run, as text. */
import { decodeJson, encodeJson, isObject, type Json, type JsonObject } from '@woof/net';

export type WorkloadChange = { payload: JsonObject | undefined } | { problem: string };

/** `before` is the text of the workload. Undefined: nothing changed. */
export function workloadChange(before: string, after: string): WorkloadChange {
  if (after.trim() === before.trim()) return { payload: undefined };
  let changed: Json;
  try {
    changed = decodeJson<Json>(after);
  } catch (error) {
    return { problem: `The workload is not valid JSON: ${(error as Error).message}` };
  }
  if (!isObject(changed)) return { problem: 'The workload must be a JSON object: {"key": value}' };
  const old = decodeJson<JsonObject>(before);
  const removed = Object.keys(old).filter((key) => !Object.hasOwn(changed, key));
  if (removed.length > 0)
    return {
      problem: `A rerun cannot remove ${removed.map((key) => `"${key}"`).join(', ')}; set it to null`,
    };
  const keys = Object.keys(changed).filter(
    (key) => !Object.hasOwn(old, key) || encodeJson(old[key]!) !== encodeJson(changed[key]!),
  );
  const inside = keys.find((key) => isStored(old[key]) && isStored(changed[key]));
  if (inside !== undefined)
    return { problem: `"${inside}" is stored outside the log; leave it as it is, or replace all of it` };
  if (keys.length === 0) return { payload: undefined };
  return { payload: Object.fromEntries(keys.map((key) => [key, changed[key]!])) };
}

/** The text shows a reference in place of a large value. A person may have changed a part of it. */
const isStored = (value: Json | undefined): boolean =>
  isObject(value) && typeof value.store === 'string' && Object.hasOwn(value, 'checksum');
