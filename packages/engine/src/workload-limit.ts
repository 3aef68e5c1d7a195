/** The workload is in the log and goes to a worker with each of its jobs, so it is limited if servers share both. */
import { encodeJson, type JsonObject } from '@woof/net';

export const LARGEST_WORKLOAD_BYTES = 1024 * 1024;

/** What is wrong with its size; undefined if nothing is. */
export function workloadFault(workload: JsonObject): string | undefined {
  const size = Buffer.byteLength(encodeJson(workload));
  if (size <= LARGEST_WORKLOAD_BYTES) return undefined;
  const most = `the limit is ${LARGEST_WORKLOAD_BYTES} bytes of JSON`;
  return `the workload, with the values that override it, is ${size} bytes, and ${most}. Let a task fetch larger values`;
}
