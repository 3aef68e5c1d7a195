/**
 * Files in folders beside a notebook, where cells may have put links, pipes and folders of their own.
 *
 * Invariant: nothing outside the notebook's folder is read, created, changed or removed. Each folder on the path is
 * opened without following links and held open while it is used, so that nothing can replace it between check and use.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { leadingTo, makeFolder } from '@woof/tools/hold-folder';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** `path` is relative to the folder. Missing folders on it are created. */
export function writeBeside(folder: string, path: string, bytes: Buffer): void {
  inFolderOf(folder, path, true, (file) => {
    const aside = asideOf(file);
    try {
      writeFileSync(aside, bytes, { flag: 'wx' });
      renameSync(aside, file);
    } finally {
      rmSync(aside, { force: true });
    }
  });
}

/** Undefined if there is no such file, or if something on the path is a link. */
export function readBeside(folder: string, path: string): Buffer | undefined {
  return unlessAbsent(() => inFolderOf(folder, path, false, readPlainFile));
}

/** Ignores a missing file and anything behind a link. Also removes folders that this leaves empty. */
export function removeBeside(folder: string, path: string): void {
  unlessAbsent(() => inFolderOf(folder, path, false, (file) => rmSync(file, { force: true })));
  removeEmptyFolders(folder, dirname(path));
}

/** Removes the folder and its parents, as long as they are empty. */
export function removeEmptyFolders(folder: string, path: string): void {
  for (let at = path; at !== '.'; at = dirname(at)) {
    const name = at;
    unlessAbsent(() => inFolderOf(folder, name, false, rmdirSync));
  }
}

/** Undefined for links, pipes and anything else that is not a regular file: reading a pipe could block forever. */
export function readPlainFile(path: string): Buffer | undefined {
  const file = unlessAbsent(() => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (file === undefined) return undefined;
  try {
    return fstatSync(file).isFile() ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

/** A name that nobody can have taken before. */
export function asideOf(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}`;
}

function inFolderOf<Result>(
  folder: string,
  path: string,
  make: boolean,
  use: (file: string) => Result,
): Result {
  const names = dirname(path) === '.' ? [] : dirname(path).split('/');
  try {
    return inFolder(realpathSync(folder), names, make, (held) => use(join(held, basename(path))));
  } catch (error) {
    if (!isLink(error) || !make) throw error;
    throw new Error(
      `${dirname(path)} is a link that leads elsewhere, or not a directory; Woof does not write there`,
    );
  }
}

function inFolder<Result>(
  path: string,
  [name, ...rest]: readonly string[],
  make: boolean,
  use: (held: string) => Result,
): Result {
  const folder = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const held = leadingTo(folder, path);
    if (name === undefined) return use(held);
    if (make) makeFolder(join(held, name));
    return inFolder(join(held, name), rest, make, use);
  } finally {
    closeSync(folder);
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';
const isLink = (error: unknown) => ['ELOOP', 'ENOTDIR'].includes(codeOf(error));

/** A socket, or a pipe without a reader or writer, counts as absent too: ENXIO. */
function unlessAbsent<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch (error) {
    if (isLink(error) || ['ENOENT', 'ENXIO', 'ENOTEMPTY', 'EISDIR', 'ERR_FS_EISDIR'].includes(codeOf(error)))
      return undefined;
    throw error;
  }
}
