/** Where the files of the repository stand in the site. Paths and addresses are relative and have `/` between names. */
import { posix } from 'node:path';

/** `docs/` is the root of the site; what lies outside keeps its path. */
export function addressOf(file: string): string {
  const address = file.replace(/^docs\/(.*\/)?README\.md$/, '$1index.md').replace(/^docs\//, '');
  return address.replace(/\.md$/, '.html');
}

/** The way from a page to the root of the site. */
export function rootFrom(address: string): string {
  return '../'.repeat(address.split('/').length - 1);
}

/** The file that a link in the file `from` means; undefined if it leads out of the repository. */
export function fileOfLink(from: string, link: string): string | undefined {
  if (link === '') return from;
  const file = posix.join(posix.dirname(from), link);
  return file.startsWith('..') || posix.isAbsolute(link) ? undefined : file;
}
