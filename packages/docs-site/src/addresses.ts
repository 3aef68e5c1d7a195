/** Where the files of the repository are in the site. Paths and addresses are relative and use `/`. */
import { posix } from 'node:path';

/** `docs/` is the root of the site; files outside it keep their path. */
export function addressOf(file: string): string {
  const address = file.replace(/^docs\/(.*\/)?README\.md$/, '$1index.md').replace(/^docs\//, '');
  return address.replace(/\.md$/, '.html');
}

/** The relative path from a page to the root of the site. */
export function rootFrom(address: string): string {
  return '../'.repeat(address.split('/').length - 1);
}

/** The file that a link in the file `from` refers to; undefined if it leads out of the repository. */
export function fileOfLink(from: string, link: string): string | undefined {
  if (link === '') return from;
  const file = posix.join(posix.dirname(from), link);
  return file.startsWith('..') || posix.isAbsolute(link) ? undefined : file;
}
