/** Reads a file that somebody sent: what a host must know about it, or why it cannot be shown. */
import { createHash } from 'node:crypto';
import { PAGE_LIMIT, readWorkbook, type Workbook } from '@woof/documents/workbook';
import { pageText } from './page-text.ts';

export interface Page {
  /** SHA-256 of the bytes, in hexadecimal digits. */
  hash: string;
  bytes: number;
  text: string;
  workbook: Workbook;
}

export interface PageProblem {
  what: string;
  fix: string;
}

export function tooLarge(bytes: number): PageProblem | undefined {
  if (bytes <= PAGE_LIMIT) return undefined;
  const mib = (size: number) => `${Math.ceil(size / 1024 / 1024)} MiB`;
  const what = `has ${mib(bytes)}; the limit for a workbook is ${mib(PAGE_LIMIT)}`;
  return { what, fix: 'build it with less data' };
}

export function readPage(bytes: Uint8Array): Page | PageProblem {
  const large = tooLarge(bytes.length);
  if (large) return large;
  const text = pageText(bytes);
  if (text.trim() === '') return { what: 'is empty', fix: NOT_HTML };
  if (text.slice(0, 4096).includes('\0'))
    return { what: 'is not HTML: it contains binary data', fix: NOT_HTML };
  const workbook = read(text);
  if (typeof workbook === 'string')
    return { what: `cannot be read: ${workbook}`, fix: 'build a smaller page' };
  if (!workbook.isHtml) return { what: 'is not HTML: it has no elements', fix: NOT_HTML };
  return { hash: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length, text, workbook };
}

const NOT_HTML = 'name an HTML file; woof build creates one from a notebook, a run or a folder';

function read(text: string): Workbook | string {
  try {
    return readWorkbook(text);
  } catch (error) {
    return (error as Error).message;
  }
}
