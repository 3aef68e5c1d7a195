/** Compares a bundle with its sums: what changed, what is missing, what was added. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SUMS } from './bundle-names.ts';
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
  if (digest !== undefined && createHash('sha256').update(text).digest('hex') !== digest)
    faults.push(fault(SUMS, 'changed', 'the sums are not those that the log of the run knows'));
  const sums = parseSums(text);
  for (const [path, sum] of sums) faults.push(...(await check(folder, path, sum)));
  const { files } = await entriesOf(folder);
  for (const path of files) {
    if (path !== SUMS && !sums.has(path))
      faults.push(fault(path, 'extra', 'it was added after the bundle was sealed'));
  }
  return faults;
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
