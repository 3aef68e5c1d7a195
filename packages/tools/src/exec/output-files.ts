/**
 * Finds the files that `outputs` names by pattern: `*` and `?` within a name, `**` for folders, `{a,b}` for
 * alternatives.
 *
 * Links are followed only to files inside the working directory, and folders behind links are not entered. Names that
 * begin with a dot, and outputs of other stages, match only patterns that name them. Woof's own files never match.
 */
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from './locate.ts';

const MAGIC = /[*?{}[\]]/;

export interface Found {
  /** Relative to the working directory, sorted. */
  paths: string[];
  /** Patterns without wildcards that name nothing. */
  missing: string[];
  /** Patterns with wildcards that match nothing. */
  empty: string[];
}

/** The folder that Woof creates in a working directory. */
export const INPUTS = 'inputs';

/** `data`: the data directory, which may be inside the working directory. */
export async function findOutputs(
  workdir: string,
  patterns: readonly string[],
  data?: string,
): Promise<Found> {
  const place = { workdir, data };
  const found: Found = { paths: [], missing: [], empty: [] };
  const paths = new Set<string>();
  for (const pattern of patterns) {
    const before = paths.size;
    let any = false;
    for (const alternative of alternatives(pattern)) {
      for await (const path of matching(
        place,
        '',
        alternative.split('/').filter((part) => part !== '.' && part !== ''),
      )) {
        any = true;
        paths.add(path);
      }
    }
    if (any || paths.size > before) continue;
    (MAGIC.test(pattern) ? found.empty : found.missing).push(pattern);
  }
  found.paths = [...paths].sort();
  return found;
}

/** Why a pattern is invalid; undefined if it is valid. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.trim() === '') return 'it is empty';
  if (pattern.startsWith('/')) return 'it must be relative to workdir';
  return pattern.split('/').includes('..') ? 'it must stay under workdir' : undefined;
}

interface Place {
  workdir: string;
  data: string | undefined;
}

async function* matching(place: Place, folder: string, parts: string[]): AsyncIterable<string> {
  const { workdir } = place;
  const [part, ...rest] = parts;
  if (part === undefined) return;
  for (const { name, isFolder } of await entries(place, folder)) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (path === INPUTS && part !== INPUTS) continue;
    if (part === '**') {
      if (name.startsWith('.')) continue;
      if (isFolder) yield* matching(place, path, parts);
      if (rest.length === 0 && (await isOwnFile(workdir, path))) yield path;
    } else if (toRegExp(part).test(name)) {
      if (rest.length === 0 ? await isOwnFile(workdir, path) : isFolder) {
        if (rest.length === 0) yield path;
        else yield* matching(place, path, rest);
      } else if (rest.length === 0 && isFolder) yield* matching(place, path, ['**']);
    }
  }
  if (part === '**') yield* matching(place, folder, rest);
}

async function entries(
  { workdir, data }: Place,
  folder: string,
): Promise<{ name: string; isFolder: boolean }[]> {
  const within = join(workdir, folder);
  const found = await readdir(within, { withFileTypes: true }).catch(() => []);
  return found
    .filter(({ name }) => (folder !== '' || name !== '.woof') && join(within, name) !== data)
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
}

async function isOwnFile(workdir: string, path: string): Promise<boolean> {
  try {
    const real = await realpath(join(workdir, path));
    return isInside(real, workdir) && (await stat(real)).isFile();
  } catch {
    return false;
  }
}

function toRegExp(part: string): RegExp {
  const source = part.replaceAll(/\*+|\?|[\\^$.|+()[\]{}]/g, (magic) => {
    if (magic.startsWith('*')) return '[^/]*';
    return magic === '?' ? '[^/]' : `\\${magic}`;
  });
  return new RegExp(`^${/^[*?]/.test(part) ? '(?!\\.)' : ''}${source}$`, 's');
}

const MOST_ALTERNATIVES = 256;

/** `a{b,c}d` → `abd`, `acd`. */
function alternatives(pattern: string): string[] {
  let done = [''];
  for (const part of pattern.split(/(\{[^{}]*\})/)) {
    const choices = /^\{.*\}$/s.test(part) ? part.slice(1, -1).split(',') : [part];
    done = done.flatMap((head) => choices.map((choice) => head + choice)).slice(0, MOST_ALTERNATIVES);
  }
  return done;
}
