/**
 * Writes files below a folder, all or none: they are written to a staging folder and moved into place only once all are
 * complete. Existing files are kept until all moves have succeeded, and restored if one fails.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface TreeFile {
  path: string;
  content: Uint8Array;
  mode: number;
}

export class BlockedPath extends Error {
  constructor(
    readonly path: string,
    readonly why: string,
  ) {
    super(`${path} ${why}`);
  }
}

/** `folder` is absent, or empty, or one whose other files stay. */
export function writeTree(folder: string, files: readonly TreeFile[]): void {
  if (isAbsentOrEmpty(folder) && placeWhole(folder, files)) return;
  // Inside the folder, because its parent may be another file system or belong to someone else.
  withStaging(join(folder, '.unbundle-'), (staging) => {
    const fresh = writeAll(staging, files);
    merge(fresh, folder, join(staging, 'old'), files);
  });
}

/** In one step. An empty folder may not be replaceable: it may be a mount, or inside a read-only folder. */
function placeWhole(folder: string, files: readonly TreeFile[]): boolean {
  try {
    withStaging(join(dirname(folder), `.${basename(folder)}-`), (staging) => {
      renameSync(writeAll(staging, files), folder);
    });
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (existsSync(folder) && ['EXDEV', 'EBUSY', 'EACCES', 'EPERM', 'EROFS'].includes(code)) return false;
    throw error;
  }
}

function withStaging(prefix: string, act: (staging: string) => void): void {
  const staging = mkdtempSync(prefix);
  try {
    act(staging);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function writeAll(staging: string, files: readonly TreeFile[]): string {
  const fresh = join(staging, 'new');
  mkdirSync(fresh);
  for (const { path, content, mode } of files) {
    const place = join(fresh, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content, { flag: 'wx' });
    chmodSync(place, mode & 0o777);
  }
  return fresh;
}

export function isAbsentOrEmpty(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).length === 0;
}

function merge(fresh: string, folder: string, old: string, files: readonly TreeFile[]): void {
  for (const { path } of files) refuseBlocked(folder, path);
  const undo: (() => void)[] = [];
  try {
    for (const { path } of files) {
      const place = join(folder, path);
      makeParents(folder, path, undo);
      if (lstatSync(place, { throwIfNoEntry: false })) {
        const kept = join(old, path);
        mkdirSync(dirname(kept), { recursive: true });
        renameSync(place, kept);
        undo.push(() => renameSync(kept, place));
      }
      renameSync(join(fresh, path), place);
      undo.push(() => rmSync(place, { force: true }));
    }
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
}

/**
 * A link among the folders of a path would lead out; a folder in the place of a file contains files that nobody asked
 * to remove.
 */
function refuseBlocked(folder: string, path: string): void {
  const parts = path.split('/');
  for (let count = 1; count <= parts.length; count++) {
    const below = parts.slice(0, count).join('/');
    const there = lstatSync(join(folder, below), { throwIfNoEntry: false });
    if (!there) return;
    if (count === parts.length) {
      if (there.isDirectory()) throw new BlockedPath(below, 'is a directory there');
    } else if (there.isSymbolicLink()) throw new BlockedPath(below, 'is a link there');
    else if (!there.isDirectory()) throw new BlockedPath(below, 'is a file there');
  }
}

function makeParents(folder: string, path: string, undo: (() => void)[]): void {
  const parts = path.split('/').slice(0, -1);
  for (let count = 1; count <= parts.length; count++) {
    const parent = join(folder, ...parts.slice(0, count));
    if (existsSync(parent)) continue;
    mkdirSync(parent);
    undo.push(() => rmdirSync(parent));
  }
}
