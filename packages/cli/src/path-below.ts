/** Where a file that may not be there yet lies below a folder, whatever links lead to either. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

export function pathBelow(folder: string, file: string): string {
  const place = real(file) ?? join(real(dirname(file)) ?? resolve(dirname(file)), basename(file));
  return relative(realpathSync(folder), place).split(sep).join('/');
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
