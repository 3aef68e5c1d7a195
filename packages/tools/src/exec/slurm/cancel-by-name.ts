/** Cancels a job by the name that Woof gave it: Slurm's id may be another's by now. */
import type { JobName } from './job-area.ts';
import { scancel, squeue } from './slurm-commands.ts';
import { stateMeaning } from './slurm-states.ts';

export async function cancelByName({ name, index }: JobName): Promise<void> {
  const same = (await squeue()).filter((job) => job.name === name && (job.index ?? null) === index);
  await scancel(same.filter(({ state }) => !stateMeaning(state).over).map(({ id }) => id));
}
