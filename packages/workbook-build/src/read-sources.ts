/**
 * The files of a folder, for a bundle: sorted, without ignored files, links and empty folders. Nothing is read that
 * would not be kept: too many or too large files end it early.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BUNDLE_LIMIT,
  type BundleFile,
  BundleTooLarge,
  FILE_COUNT_LIMIT,
  FILE_LIMIT,
  isIgnored,
} from '@woof/documents/workbook';

export interface Sources {
  files: BundleFile[];
  /** The time of the newest file. */
  newestMs: number;
}

export class TooManyFiles extends Error {
  constructor() {
    super(`there are more than ${FILE_COUNT_LIMIT} files`);
  }
}

/** `except`: which paths below the folder are not sources, such as the page to be written. */
export function readSources(folder: string, except?: (path: string) => boolean): Sources {
  const sources: Sources = { files: [], newestMs: 0 };
  let total = 0;
  for (const path of pathsIn(folder)) {
    if (except?.(path)) continue;
    const read = readPlainFile(join(folder, path), FILE_LIMIT);
    if (read === undefined) continue;
    if (sources.files.length >= FILE_COUNT_LIMIT) throw new TooManyFiles();
    total += read.content?.length ?? 0;
    if (total > BUNDLE_LIMIT) throw new BundleTooLarge(total);
    const { content, size, mode, mtimeMs } = read;
    sources.files.push(content ? { path, mode, content } : { path, mode, originalSize: size });
    sources.newestMs = Math.max(sources.newestMs, mtimeMs);
  }
  return sources;
}

/** In code unit order, not by language rules, which differ between machines. */
function* pathsIn(folder: string, below = ''): Generator<string> {
  const entries = readdirSync(join(folder, below), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (isIgnored(entry.name)) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* pathsIn(folder, path);
    else if (entry.isFile()) yield path;
  }
}

export interface PlainFile {
  /** Absent: larger than the limit. */
  content?: Uint8Array;
  size: number;
  mode: number;
  mtimeMs: number;
}

/** Undefined if there is no file, or a link or a pipe in its place. */
export function readPlainFile(path: string, limit: number): PlainFile | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENXIO', 'ENAMETOOLONG'].includes(code)) return undefined;
    throw error;
  }
  try {
    const { size, mode, mtimeMs, isFile } = stat(descriptor);
    if (!isFile) return undefined;
    const about = { size, mode: mode & 0o777, mtimeMs };
    return size > limit ? about : { ...about, content: readFileSync(descriptor) };
  } finally {
    closeSync(descriptor);
  }
}

function stat(descriptor: number) {
  const stats = fstatSync(descriptor);
  return { size: stats.size, mode: stats.mode, mtimeMs: stats.mtimeMs, isFile: stats.isFile() };
}
