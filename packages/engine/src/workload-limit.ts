/**
 * A workload is in the log and goes to a worker with each of its jobs, so it is limited if servers share both. What is
 * stored elsewhere counts as its reference.
 */
import { encodeJson, type JsonObject } from '@woof/net';
import { INLINE_MAX_BYTES } from '@woof/stores';

export const LARGEST_WORKLOAD_BYTES = 1024 * 1024;
/** About as long as a reference is. */
const REFERENCE_BYTES = 300;

/** What is wrong with its size; undefined if nothing is. */
export function workloadFault(workload: JsonObject): string | undefined {
  let size = 0;
  for (const [key, value] of Object.entries(workload)) {
    const bytes = Buffer.byteLength(encodeJson(value));
    size += Buffer.byteLength(encodeJson(key)) + (bytes <= INLINE_MAX_BYTES ? bytes : REFERENCE_BYTES);
  }
  if (size <= LARGEST_WORKLOAD_BYTES) return undefined;
  const most = `the limit is ${LARGEST_WORKLOAD_BYTES} bytes of JSON. Let a task fetch some of the data`;
  return `the values of the workload that have up to ${INLINE_MAX_BYTES} bytes each have ${size} bytes together, and ${most}`;
}
