/**
 * Finds a playbook of a folder by its `metadata.path`, as a server's catalogue does.
 *
 * Links are not followed, and hidden folders and `node_modules` are not searched, so nothing outside the folder is ever
 * found.
 */
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { UserError } from './user-error.ts';

const DEEPEST = 8;
const MOST_FILES = 2000;
const MOST_BYTES = 4 * 1024 * 1024;

export class PlaybookFinder {
  readonly #found = new Map<string, string>();

  /** The file that `path` refers to: one in the folder of the caller, else the one below `root` that declares it. */
  find(path: string, folder: string, root: string): string {
    if (existsSync(resolve(folder, path))) return path;
    const key = `${root}\0${path}`;
    const known = this.#found.get(key);
    if (known !== undefined && declares(known, path)) return known;
    const files = [...playbooksIn(root, DEEPEST)].slice(0, MOST_FILES).filter((file) => declares(file, path));
    if (files.length > 1)
      throw new UserError(
        `several playbooks have the metadata.path ${path}: ${files.join(', ')}`,
        'name the file instead',
        2,
      );
    const [file] = files;
    if (file === undefined)
      throw new UserError(
        `${path}: there is no such file, and no playbook in ${root} has this metadata.path`,
        'check the path; it is relative to the folder of the calling playbook',
        2,
      );
    this.#found.set(key, file);
    return file;
  }
}

function* playbooksIn(folder: string, depth: number): Generator<string> {
  const entries = entriesOf(folder);
  for (const entry of entries)
    if (entry.isFile() && /\.ya?ml$/i.test(entry.name)) yield join(folder, entry.name);
  for (const entry of depth > 0 ? entries : [])
    if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
      yield* playbooksIn(join(folder, entry.name), depth - 1);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function declares(file: string, path: string): boolean {
  try {
    if (statSync(file).size > MOST_BYTES) return false;
    const text = readFileSync(file, 'utf8');
    return text.includes(path) && parseDocument(text).getIn(['metadata', 'path']) === path;
  } catch {
    return false;
  }
}
