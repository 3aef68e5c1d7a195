/** A page from a file, or a message that says why it cannot be read. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { type Page, readPage, tooLarge } from '@woof/server/workbooks';
import { UserError } from '../user-error.ts';

export function readPageFile(file: string): Page {
  const descriptor = openFile(file);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new UserError(`${file} is not a file`, 'name an HTML file', 2);
    const found = tooLarge(stat.size) ?? readPage(readFileSync(descriptor));
    if ('what' in found) throw new UserError(`${file} ${found.what}`, found.fix, 2);
    return found;
  } finally {
    closeSync(descriptor);
  }
}

function openFile(file: string): number {
  try {
    return openSync(file, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`;
    throw new UserError(`${file}: ${what}`, 'name an HTML file', 2);
  }
}
