import type { HeldJob } from './engine-options.ts';

/** A job as a worker's beat names it to every server. */
export const jobText = ({ execution_id, job_id, fence }: HeldJob): string =>
  `${execution_id} ${job_id} ${fence}`;
