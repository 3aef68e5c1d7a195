/**
 * Cleans up after dead processes of a run that is over: ends jobs that outlive them, and seals folders that nobody else
 * would.
 *
 * A run that a process drives does not need this: that process does it.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject } from '@woof/net';
import { type Opened, openAttempts } from './attempt.ts';
import { folderName, JOB_AREA } from './bundle-names.ts';
import { isOwned } from './owner.ts';
import { writeWhole } from './partial.ts';
import { sealLost } from './seal-lost.ts';

/** Returns descriptions of what could not be ended. */
export async function endLeftAttempts(runs: string, executionId: string, why: string): Promise<string[]> {
  const run = join(runs, folderName(executionId));
  const faults: string[] = [];
  for (const name of await readdir(run).catch(() => [])) {
    const stage = join(run, name);
    const left = (await openAttempts(stage, await readdir(stage))).filter(({ intent }) => !isOwned(intent));
    for (const attempt of left) {
      const fault = await endJob(attempt);
      if (fault) faults.push(fault);
      const id = await stageOf(attempt);
      await sealLost(attempt.folder, attempt.intent, { executionId, stage: id ?? name }, why);
    }
  }
  return faults;
}

async function endJob({ folder }: Opened): Promise<string | undefined> {
  const area = join(folder, JOB_AREA);
  const name = await readObject(join(area, 'name'));
  if (name === undefined) return undefined;
  // If Slurm does not answer, the script stops by itself.
  await writeWhole(join(area, 'stop'), '').catch(() => undefined);
  const { cancelByName } = await import('./slurm/cancel-by-name.ts');
  return cancelByName(name as never).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

async function stageOf({ folder }: Opened): Promise<string | undefined> {
  const env = await readObject(join(folder, 'meta', 'env.json'));
  return typeof env?.stage_id === 'string' ? env.stage_id : undefined;
}

async function readObject(path: string): Promise<JsonObject | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isObject(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
