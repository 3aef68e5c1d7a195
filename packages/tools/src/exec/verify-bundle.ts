/**
 * Compares a bundle with what was sealed: which files and folders exist, their contents, and that they are read-only.
 *
 * Invariant: nothing outside the folder is read, whatever links and sums in it say.
 */
import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST, SEALED_FILE, SEALED_FOLDER, SUMS } from './bundle-names.ts';
import type { EarlierBundle } from './earlier-bundles.ts';
import { readSums, type Sums, writeSums } from './sums.ts';

export interface BundleFault {
  path: string;
  fault: 'changed' | 'missing' | 'extra' | 'mode' | 'unsealed' | 'unreadable';
  message: string;
}

/** `digest`: the digest of its sums, if the log knows it. Then even a replaced set of sums is noticed. */
export async function verifyBundle(folder: string, digest?: string): Promise<BundleFault[]> {
  const top = await lstat(folder).catch(() => undefined);
  if (top === undefined)
    return [fault('', 'missing', 'the bundle does not exist: woof gc or someone removed it')];
  if (!top.isDirectory()) return [fault('', 'changed', 'the bundle is no longer a directory')];
  const there = new Map([['', top]]);
  const faults = await look(folder, '', there);
  if (!there.has(SUMS))
    return [
      fault(SUMS, 'unsealed', 'there are no checksums: the bundle was not finished, or someone removed them'),
    ];
  const text = await readPlain(join(folder, SUMS));
  const sums = readSums(text);
  if (digest !== undefined && sha256(text) !== digest)
    faults.push(fault(SUMS, 'changed', 'the checksums differ from those in the log of the run'));
  else if (writeSums(sums) !== text)
    faults.push(fault(SUMS, 'changed', 'the checksums were changed after Woof wrote them'));
  const folders = new Set(['', ...[...sums.keys()].flatMap(foldersAbove)]);
  for (const [path, stats] of there) faults.push(...(await check(folder, path, stats, sums, folders)));
  for (const path of sums.keys())
    if (!there.has(path)) faults.push(fault(path, 'missing', 'it does not exist any more'));
  return faults;
}

/** What a bundle says about earlier bundles, if the log vouches for it. */
export async function vouchedFor(folder: string, digest: string): Promise<Map<string, string>> {
  const [text, manifest] = await Promise.all([SUMS, MANIFEST].map((name) => readPlain(join(folder, name))));
  const isWhole = sha256(text!) === digest && readSums(text!).get(MANIFEST) === sha256(manifest!);
  if (!isWhole) return new Map();
  const { earlier_bundles: earlier = [] } = JSON.parse(manifest!) as { earlier_bundles?: EarlierBundle[] };
  return new Map(earlier.map((each) => [String(each.attempt), each.bundle_sha256]));
}

/** Records everything in a folder by relative name. Returns the folders that cannot be read. */
async function look(root: string, inner: string, there: Map<string, Stats>): Promise<BundleFault[]> {
  try {
    const faults: BundleFault[] = [];
    for (const name of (await readdir(join(root, inner))).sort()) {
      const path = inner === '' ? name : `${inner}/${name}`;
      const stats = await lstat(join(root, path));
      there.set(path, stats);
      if (stats.isDirectory()) faults.push(...(await look(root, path, there)));
    }
    return faults;
  } catch (error) {
    return [fault(inner, 'unreadable', (error as Error).message)];
  }
}

function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

async function check(
  root: string,
  path: string,
  stats: Stats,
  sums: Sums,
  folders: ReadonlySet<string>,
): Promise<BundleFault[]> {
  const isFile = path === SUMS || sums.has(path);
  const isFolder = folders.has(path);
  if (!isFile && !isFolder) return [fault(path, 'extra', 'it was added after the bundle was sealed')];
  if (isFile && !stats.isFile()) return [fault(path, 'changed', 'it is no longer a regular file')];
  if (isFolder && !stats.isDirectory()) return [fault(path, 'changed', 'it is no longer a directory')];
  const faults = checkMode(path, stats.mode & 0o7777, isFile ? SEALED_FILE : SEALED_FOLDER);
  const sum = sums.get(path);
  return sum === undefined ? faults : [...faults, ...(await checkContent(root, path, sum))];
}

function checkMode(path: string, mode: number, sealed: number): BundleFault[] {
  const octal = (bits: number) => bits.toString(8).padStart(4, '0');
  if (mode === sealed) return [];
  return [
    fault(path, 'mode', `its mode is ${octal(mode)}, but was ${octal(sealed)} when the bundle was sealed`),
  ];
}

async function checkContent(root: string, path: string, sum: string): Promise<BundleFault[]> {
  try {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(join(root, path))) hash.update(chunk as Buffer);
    return hash.digest('hex') === sum
      ? []
      : [fault(path, 'changed', 'its content changed after the bundle was sealed')];
  } catch (error) {
    return [fault(path, 'unreadable', (error as Error).message)];
  }
}

/** Returns nothing unless it is a plain file: a link leads elsewhere, and a pipe never ends. */
async function readPlain(path: string): Promise<string> {
  try {
    return (await lstat(path)).isFile() ? await readFile(path, 'utf8') : '';
  } catch {
    return '';
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function fault(path: string, kind: BundleFault['fault'], message: string): BundleFault {
  return { path, fault: kind, message };
}
