/** Cancels a job by the name that Woof gave it, because Slurm's id may belong to another job by now. */
import type { JobName } from './job-area.ts';
import { scancel, squeue } from './slurm-commands.ts';
import { stateMeaning } from './slurm-states.ts';

export async function cancelByName({ name, index }: JobName): Promise<void> {
  const same = (await squeue()).filter((job) => job.name === name && (job.index ?? null) === index);
  await scancel(same.filter(({ state }) => !stateMeaning(state).over).map(({ id }) => id));
}
