/** Identifies a job of any execution by one key. */
export function jobKey({ execution_id, job_id }: { execution_id: string; job_id: string }): string {
  return `${execution_id}\n${job_id}`;
}
