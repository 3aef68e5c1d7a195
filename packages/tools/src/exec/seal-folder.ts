/**
 * Turns an attempt's folder into a bundle: sums, then the manifest, all durable and read-only, then the name.
 *
 * The manifest is the last file written, and the rename follows it, so a folder with the final name is complete. The
 * intent is removed in between: a folder with an intent is open, and one with a manifest instead lacks only its name.
 */
import { createHash } from 'node:crypto';
import { chmod, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JsonObject } from '@woof/net';
import { INTENT, JOB_AREA, MANIFEST, RESULTS, SEALED_FILE, SEALED_FOLDER, SUMS } from './bundle-names.ts';
import { writeWhole } from './partial.ts';
import { writeSums } from './sums.ts';

/** Returns the digest of the sums. */
export async function sealFolder(folder: string, bundle: string, manifest: JsonObject): Promise<string> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  for (const name of [SUMS, MANIFEST, JOB_AREA])
    await rm(join(folder, name), { recursive: true, force: true });
  const sums = new Map([[MANIFEST, createHash('sha256').update(text).digest('hex')]]);
  const files = (await entriesOf(folder)).files.filter((file) => file !== INTENT && file !== RESULTS);
  await eachOf(files, async (file) => {
    sums.set(file, await digestOf(join(folder, file)));
  });
  const lines = writeSums(sums);
  await writeWhole(join(folder, SUMS), lines);
  await writeWhole(join(folder, MANIFEST), text);
  await syncFolder(folder);
  await rm(join(folder, INTENT), { force: true });
  await giveName(folder, bundle);
  return createHash('sha256').update(lines).digest('hex');
}

/** The last step of sealing, also for a folder whose process died before it. */
export async function giveName(folder: string, bundle: string): Promise<void> {
  await rm(join(folder, RESULTS), { force: true });
  const { files, folders } = await entriesOf(folder);
  for (const file of files) await chmod(join(folder, file), SEALED_FILE);
  for (const inner of folders.reverse()) await chmod(join(folder, inner), SEALED_FOLDER);
  await chmod(folder, SEALED_FOLDER);
  await rename(folder, bundle);
  await syncFolder(dirname(bundle));
}

/** Concurrent syncs share one write of the disk's journal, but too many open files would fail. */
const AT_ONCE = 16;

async function eachOf(files: readonly string[], act: (file: string) => Promise<void>): Promise<void> {
  const left = files.values();
  const work = async () => {
    for (const file of left) await act(file);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, files.length) }, work));
}

/** Relative names; a folder comes before its contents. */
export async function entriesOf(root: string): Promise<{ files: string[]; folders: string[] }> {
  const files: string[] = [];
  const folders: string[] = [];
  const visit = async (inner: string): Promise<void> => {
    for (const entry of await readdir(join(root, inner), { withFileTypes: true })) {
      const name = inner === '' ? entry.name : `${inner}/${entry.name}`;
      if (!entry.isDirectory()) files.push(name);
      else {
        folders.push(name);
        await visit(name);
      }
    }
  };
  await visit('');
  return { files, folders };
}

/** Durable when it resolves. */
export async function digestOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      hash.update(chunk as Buffer);
      size += (chunk as Buffer).length;
    }
    if (size > 0) await file.datasync();
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
