// Replaces a folder of dist atomically: a woof that starts meanwhile finds the old one or the new one.
import { renameSync, rmSync } from 'node:fs';

const dist = new URL('../dist/', import.meta.url).pathname;

export async function replaceFolder(folder, make) {
  const aside = `${dist}.${folder}-${process.pid}`;
  await make(aside);
  const old = `${aside}-old`;
  try {
    renameSync(`${dist}${folder}`, old);
  } catch {
    // The first build has nothing to replace.
  }
  renameSync(aside, `${dist}${folder}`);
  rmSync(old, { recursive: true, force: true });
}
