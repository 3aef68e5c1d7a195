import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The size in bytes of a file, or of all files in a folder. */
export async function sizeOf(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.size;
  let bytes = 0;
  for (const name of await readdir(path)) bytes += await sizeOf(join(path, name));
  return bytes;
}
