/**
 * A workload is in the log and goes to a worker with each of its jobs, so what is not stored elsewhere is limited if
 * servers share both.
 */
import { encodeJson, type JsonObject, type Plan } from '@woof/net';
import { INLINE_MAX_BYTES } from '@woof/stores';

export const LARGEST_WORKLOAD_BYTES = 1024 * 1024;

/** What is wrong with its size; undefined if nothing is. Values that are stored outside the log do not count. */
export function workloadFault({ kind }: Pick<Plan, 'kind'>, workload: JsonObject): string | undefined {
  const largest = kind === 'notebook' ? Infinity : INLINE_MAX_BYTES;
  let size = 0;
  for (const [key, value] of Object.entries(workload)) {
    const bytes = Buffer.byteLength(encodeJson(value));
    size += Buffer.byteLength(encodeJson(key)) + (bytes <= largest ? bytes : 0);
  }
  if (size <= LARGEST_WORKLOAD_BYTES) return undefined;
  const most = `the limit is ${LARGEST_WORKLOAD_BYTES} bytes of JSON`;
  const name =
    kind === 'notebook'
      ? 'parameters'
      : `values of the workload that stay in the log (up to ${INLINE_MAX_BYTES} bytes each)`;
  return `the ${name} have ${size} bytes together, and ${most}. Let a task fetch some of the data`;
}
