/**
 * Files in folders beside a notebook, where cells may have put links, pipes and folders of their own.
 *
 * Invariant: nothing outside the notebook's folder is read, made, changed or removed. Each folder on the way is opened
 * without following links and held while it is used, so that nothing can take its place between the look and the deed.
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

/** `path`: relative to the folder, with folders that are made where they are missing. */
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

/** Undefined where there is no such file, or something on the way is a link. */
export function readBeside(folder: string, path: string): Buffer | undefined {
  return unlessAbsent(() => inFolderOf(folder, path, false, readPlainFile));
}

/** Leaves what is behind a link, and what is not there. Folders that this empties go too. */
export function removeBeside(folder: string, path: string): void {
  unlessAbsent(() => inFolderOf(folder, path, false, (file) => rmSync(file, { force: true })));
  removeEmptyFolders(folder, dirname(path));
}

/** The folder and those above it, as far as they hold nothing. */
export function removeEmptyFolders(folder: string, path: string): void {
  for (let at = path; at !== '.'; at = dirname(at)) {
    const name = at;
    unlessAbsent(() => inFolderOf(folder, name, false, rmdirSync));
  }
}

/** Undefined for links, pipes and whatever else is no file: a pipe would let us wait for ever. */
export function readPlainFile(path: string): Buffer | undefined {
  const file = unlessAbsent(() => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (file === undefined) return undefined;
  try {
    return fstatSync(file).isFile() ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

/** A name that nobody can have taken before us. */
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

/** A pipe without a reader or writer and a socket are absent, too: ENXIO. */
function unlessAbsent<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch (error) {
    if (isLink(error) || ['ENOENT', 'ENXIO', 'ENOTEMPTY', 'EISDIR', 'ERR_FS_EISDIR'].includes(codeOf(error)))
      return undefined;
    throw error;
  }
}
