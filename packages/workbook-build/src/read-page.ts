/** Reads the text of a page: limited in size, and only UTF-8. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { PAGE_LIMIT, workbookProblems } from '@woof/documents/workbook';
import { Refused } from './refused.ts';

const TOP = { line: 1, column: 1, endColumn: 2 };

export function readPage(file: string, limit = PAGE_LIMIT): string {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const refuse = (what: string) => new Refused([{ ...workbookProblems.tooLarge(TOP, what), file }]);
    if (size > limit) throw refuse(`the file has ${mebibytes(size)} MiB; the limit is ${mebibytes(limit)}`);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(descriptor));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Refused([{ ...workbookProblems.notHtml(TOP), message: 'this file is not UTF-8 text', file }]);
  } finally {
    closeSync(descriptor);
  }
}

const mebibytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024);
