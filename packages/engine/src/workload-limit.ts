/**
 * A workload is in the log and goes to a worker with each of its jobs. Large values are stored elsewhere, so only the
 * number of short ones is limited if servers share both.
 */
import { encodeJson, type JsonObject } from '@woof/net';
import { SMALLEST_MOVED } from '@woof/stores';

export const LARGEST_WORKLOAD_BYTES = 1024 * 1024;

/** What is wrong with its size; undefined if nothing is. */
export function workloadFault(workload: JsonObject): string | undefined {
  let size = 0;
  for (const [key, value] of Object.entries(workload)) {
    const bytes = Buffer.byteLength(encodeJson(value));
    size += Buffer.byteLength(encodeJson(key)) + (bytes < SMALLEST_MOVED ? bytes : 0);
  }
  if (size <= LARGEST_WORKLOAD_BYTES) return undefined;
  return `the short values of the workload (under ${SMALLEST_MOVED} bytes each) have ${size} bytes together, and the limit is ${LARGEST_WORKLOAD_BYTES} bytes of JSON. Put them into lists or maps, or let a task fetch them`;
}
