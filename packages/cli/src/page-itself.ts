/**
 * A page in the folder that it is built from is not a source of itself, whatever links lead to either; nor is what a
 * killed build of it left there.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isLeftAside } from './write-atomically.ts';

/** For paths below the folder. The page may not exist yet. */
export function isPageItself(folder: string, page: string): (path: string) => boolean {
  const place = real(page) ?? join(real(dirname(page)) ?? resolve(dirname(page)), basename(page));
  const own = relative(realpathSync(folder), place).split(sep).join('/');
  return (path) => path === own || isLeftAside(path, own);
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
