/** Locates the parts of a block: its working directory, a command's folder, a command's program. Follows links. */
import { constants } from 'node:fs';
import { access, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { quoted } from '../fields.ts';

/** A fault of the user or the environment, which becomes the outcome's message. */
export class LocateFault extends Error {}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

export async function locateWorkdir(folder: string, workdir: string): Promise<string> {
  if (workdir.trim() === '') throw new LocateFault('"workdir" must name a directory, got nothing');
  return existingFolder(resolve(folder, workdir), 'workdir', workdir);
}

/** Checked again at the start of each command, because the previous one may have put a link there. */
export async function locateCwd(workdir: string, cwd: string): Promise<string> {
  if (isAbsolute(cwd)) throw new LocateFault(`"cwd" must be relative to workdir, got ${quoted(cwd)}`);
  const folder = await existingFolder(join(workdir, cwd), 'cwd', cwd);
  if (isInside(folder, await realpath(workdir))) return folder;
  throw outside(cwd, folder);
}

const MOST_LINKS = 40;

/**
 * Checked for all commands before the first one runs. A missing folder may be created by an earlier command, but
 * everything that exists, and the targets of its links, must be under the working directory.
 */
export async function foreseeCwd(workdir: string, cwd: string): Promise<void> {
  if (isAbsolute(cwd)) throw new LocateFault(`"cwd" must be relative to workdir, got ${quoted(cwd)}`);
  let path = join(workdir, cwd);
  for (let links = 0; links < MOST_LINKS; ) {
    const found = await realpath(path).catch(() => undefined);
    if (found !== undefined) {
      if (isInside(found, await realpath(workdir))) return;
      throw outside(cwd, found);
    }
    const target = await readlink(path).catch(() => undefined);
    if (target !== undefined) links += 1;
    path = target === undefined ? dirname(path) : resolve(dirname(path), target);
  }
  throw new LocateFault(`"cwd" must stay under workdir, got ${quoted(cwd)}: it contains too many links`);
}

function outside(cwd: string, folder: string): LocateFault {
  return new LocateFault(`"cwd" must stay under workdir, got ${quoted(cwd)}, which leads to ${folder}`);
}

async function existingFolder(path: string, field: string, given: string): Promise<string> {
  const found = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'nothing exists' : error.message;
    throw new LocateFault(
      `"${field}" must be a directory that exists, got ${quoted(given)}: ${why} at ${path}`,
    );
  });
  if ((await stat(found)).isDirectory()) return found;
  throw new LocateFault(`"${field}" must be a directory, got ${quoted(given)}: ${path} is a file`);
}

/** Searches as a shell does: a name on PATH, a path from the command's folder. */
export async function locateProgram(program: string, cwd: string, path = ''): Promise<string> {
  if (program.includes('/')) {
    const file = resolve(cwd, program);
    if (await isProgram(file)) return file;
    throw new LocateFault(`there is no program at ${file}, or it cannot be executed`);
  }
  for (const folder of path.split(':').filter(isAbsolute)) {
    if (await isProgram(join(folder, program))) return join(folder, program);
  }
  throw new LocateFault(
    `there is no program ${quoted(program)} in PATH (${path}): install it, or set PATH in "env"`,
  );
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
