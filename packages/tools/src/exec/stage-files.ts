/**
 * The files that stages pass to each other: outputs go to the blob store, and later stages find them under
 * `inputs/<stage>/` in their working directory.
 *
 * Invariant: in `inputs/`, only folders that were created here are ever replaced. A folder that someone else created is
 * refused.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, lstat, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Handle, handleOf, isHandle, isObject, type Json, type JsonObject } from '@woof/net';
import type { Blobs } from '../tool.ts';
import { folderName } from './bundle-names.ts';
import { LocateFault } from './locate.ts';
import { findOutputs, INPUTS } from './output-files.ts';
import { writeWhole } from './partial.ts';
import { digestOf, entriesOf } from './seal-folder.ts';

export interface StageFile extends JsonObject {
  path: string;
  reference: Handle;
}

export async function storeOutputs(
  workdir: string,
  patterns: readonly string[],
  blobs: Blobs,
  warn: (text: string) => void,
  data?: string,
): Promise<StageFile[]> {
  const { paths, missing, empty } = await findOutputs(workdir, patterns, data);
  if (missing.length > 0)
    throw new LocateFault(`"outputs" names files that do not exist: ${missing.join(', ')}`);
  for (const pattern of empty) warn(`warning: no file matches the output pattern ${pattern}\n`);
  const files: StageFile[] = [];
  for (const path of paths) {
    const full = join(workdir, path);
    const { mode } = await stat(full);
    const hint = { type: 'file', name: posix.basename(path) };
    const stored = await blobs.put(createReadStream(full), { hint, maxBytes: Number.MAX_SAFE_INTEGER });
    files.push({ path, reference: handleOf(stored), ...(mode & 0o100 ? { executable: true } : {}) });
  }
  return files;
}

/** One operation at a time per folder, because parallel stages may share a working directory. */
const underWay = new Map<string, Promise<void>>();

export async function placeInputs(workdir: string, upstream: JsonObject, blobs: Blobs): Promise<void> {
  for (const [stage, result] of Object.entries(upstream)) {
    const files = filesOf(result);
    if (files.length === 0) continue;
    const folder = join(workdir, INPUTS, folderName(stage));
    const turn = (underWay.get(folder) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => place(folder, files, blobs));
    underWay.set(folder, turn);
    try {
      await turn;
    } finally {
      if (underWay.get(folder) === turn) underWay.delete(folder);
    }
  }
}

async function place(folder: string, files: StageFile[], blobs: Blobs): Promise<void> {
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true });
  if (!(await lstat(parent)).isDirectory())
    throw new LocateFault(`${parent} must be a directory, not a link`);
  const mark = join(parent, `.${folder.slice(parent.length + 1)}.woof.json`);
  const digest = JSON.stringify(files.map(({ path, reference }) => [path, reference.checksum]));
  const there = await lstat(folder).catch(() => undefined);
  const marked = await readFile(mark, 'utf8').catch(() => undefined);
  if (there && marked === undefined) {
    throw new LocateFault(
      `${folder} already exists, and Woof did not create it: move it away, because Woof puts the inputs of the stage there`,
    );
  }
  if (there && marked === digest && (await isWhole(folder, files))) return;
  const aside = `${folder}.new`;
  await rm(aside, { recursive: true, force: true });
  try {
    for (const file of files) await bring(join(aside, file.path), file, blobs);
    await writeWhole(mark, digest);
    await rm(folder, { recursive: true, force: true });
    await rename(aside, folder);
  } catch (error) {
    // On a full disk, it is also what fills the disk.
    await rm(aside, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

async function bring(path: string, file: StageFile, blobs: Blobs): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await pipeline(Readable.from(blobs.get(file.reference)), createWriteStream(path));
  if (file.executable) await chmod(path, 0o755);
}

/** Whether the folder contains exactly those files, unchanged. */
async function isWhole(folder: string, files: StageFile[]): Promise<boolean> {
  const there = await entriesOf(folder);
  if (there.files.length !== files.length) return false;
  for (const { path, reference } of files) {
    const stats = await lstat(join(folder, path)).catch(() => undefined);
    if (!stats?.isFile() || stats.size !== reference.size) return false;
    if (`sha256:${await digestOf(join(folder, path))}` !== reference.checksum) return false;
  }
  return true;
}

/** A result from another machine may say anything. */
function filesOf(result: Json | undefined): StageFile[] {
  if (!isObject(result) || !Array.isArray(result.outputs)) return [];
  return result.outputs.filter((entry): entry is StageFile => {
    if (!isObject(entry) || typeof entry.path !== 'string' || !isHandle(entry.reference)) return false;
    return posix.normalize(entry.path) === entry.path && !/^(\/|\.\.(\/|$))/.test(entry.path);
  });
}
