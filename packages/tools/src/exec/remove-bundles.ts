/** Removes bundle folders, whose files and folders are read-only. */
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

export async function removeBundles(path: string): Promise<void> {
  await unlock(path);
  await rm(path, { recursive: true, force: true });
}

/** Removing a file requires write permission on its folder. */
async function unlock(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isDirectory()) return;
  await chmod(path, 0o755).catch(() => undefined);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await unlock(join(path, entry.name));
  }
}
