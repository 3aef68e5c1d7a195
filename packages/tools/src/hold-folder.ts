/**
 * Folders below a document's folder, where its code may have put links. Each folder on the path is opened without
 * following links, so that nothing can replace it between the check and the use.
 */
import { closeSync, constants, fsync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/** A folder that stays the same while it is used, whatever happens to its name. */
export interface HeldFolder {
  path: string;
  sync(): Promise<void>;
  close(): void;
}

/** `path`: relative to the folder. Throws if a part of the path is a link. */
export function holdFolder(folder: string, path: string, make: boolean): HeldFolder {
  let held = openSync(realpathSync(folder), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  let at = leadingTo(held, realpathSync(folder));
  try {
    for (const name of path.split('/').filter((part) => part !== '' && part !== '.')) {
      if (make) makeFolder(join(at, name));
      const inner = openSync(join(at, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      closeSync(held);
      [held, at] = [inner, leadingTo(inner, join(at, name))];
    }
  } catch (error) {
    closeSync(held);
    throw error;
  }
  const sync = () =>
    new Promise<void>((resolve, reject) => fsync(held, (error) => (error ? reject(error) : resolve())));
  return { path: at, sync, close: () => closeSync(held) };
}

/** Only Linux can get from a descriptor back to its folder. */
export function leadingTo(descriptor: number, path: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : path;
}

/** An existing entry is checked when it is opened. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
