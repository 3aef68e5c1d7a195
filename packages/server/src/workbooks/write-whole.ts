/**
 * Writes a file that only its owner may read. It is written to a temporary file and renamed, so nobody sees a partial
 * one.
 */
import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

export async function writeWhole(file: string, text: string): Promise<void> {
  const aside = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(aside, text, { mode: 0o600, flag: 'wx' });
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}
