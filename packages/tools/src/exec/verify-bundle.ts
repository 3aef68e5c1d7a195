/** Compares a bundle with its sums: what changed, what is missing, what was added. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST, SUMS } from './bundle-names.ts';
import type { EarlierBundle } from './earlier-bundles.ts';
import { entriesOf } from './seal-folder.ts';

export interface BundleFault {
  path: string;
  fault: 'changed' | 'missing' | 'extra' | 'unsealed' | 'unreadable';
  message: string;
}

/** `digest`: that of its sums, where the log knows it: then not even a new set of sums goes unnoticed. */
export async function verifyBundle(folder: string, digest?: string): Promise<BundleFault[]> {
  if (!(await lstat(folder).catch(() => undefined))?.isDirectory())
    return [fault('', 'missing', 'the bundle is gone: it was removed, by woof gc or by somebody')];
  const text = await readFile(join(folder, SUMS), 'utf8').catch(() => undefined);
  if (text === undefined)
    return [fault(SUMS, 'unsealed', 'there are no sums: it was not finished, or they were removed')];
  const faults: BundleFault[] = [];
  if (digest !== undefined && sha256(text) !== digest)
    faults.push(fault(SUMS, 'changed', 'the sums are not those that the log of the run knows'));
  const sums = parseSums(text);
  for (const [path, sum] of sums) faults.push(...(await check(folder, path, sum)));
  const { files, folders } = await entriesOf(folder);
  const known = new Set([SUMS, ...sums.keys(), ...[...sums.keys()].flatMap(foldersAbove)]);
  for (const path of [...folders, ...files])
    if (!known.has(path)) faults.push(fault(path, 'extra', 'it was added after the bundle was sealed'));
  return faults;
}

/** What a bundle says about those before it, where the log vouches for what it says. */
export async function vouchedFor(folder: string, digest: string): Promise<Map<string, string>> {
  const [text, manifest] = await Promise.all(
    [SUMS, MANIFEST].map((name) => readFile(join(folder, name), 'utf8').catch(() => '')),
  );
  const isWhole = sha256(text!) === digest && parseSums(text!).get(MANIFEST) === sha256(manifest!);
  if (!isWhole) return new Map();
  const { earlier_bundles: earlier = [] } = JSON.parse(manifest!) as { earlier_bundles?: EarlierBundle[] };
  return new Map(earlier.map((each) => [String(each.attempt), each.bundle_sha256]));
}

function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function check(folder: string, path: string, sum: string): Promise<BundleFault[]> {
  const full = join(folder, path);
  const stats = await lstat(full).catch(() => undefined);
  if (stats === undefined) return [fault(path, 'missing', 'it is gone')];
  if (!stats.isFile()) return [fault(path, 'changed', 'it is no plain file any more')];
  try {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(full)) hash.update(chunk as Buffer);
    return hash.digest('hex') === sum ? [] : [fault(path, 'changed', 'its content is not what was sealed')];
  } catch (error) {
    return [fault(path, 'unreadable', (error as Error).message)];
  }
}

function parseSums(text: string): Map<string, string> {
  const lines = text.split('\n').map((line) => /^([0-9a-f]{64}) {2}(.+)$/s.exec(line));
  return new Map(lines.flatMap((match) => (match ? [[match[2]!, match[1]!] as const] : [])));
}

function fault(path: string, kind: BundleFault['fault'], message: string): BundleFault {
  return { path, fault: kind, message };
}
