/** How a tree differs from the sources in a page. */
import { join } from 'node:path';
import { isNotebookFile } from '@woof/documents';
import { type BundleFile, FILE_LIMIT } from '@woof/documents/workbook';
import type { OpenBundle } from './open-bundle.ts';
import { type PlainFile, readPlainFile, readSources } from './read-sources.ts';

export interface Drift {
  inSync: boolean;
  modified: string[];
  added: string[];
  removed: string[];
}

/** `except`: the page itself, if it is in the tree. */
export function compareSources(
  bundle: OpenBundle,
  folder: string,
  except?: (path: string) => boolean,
): Drift {
  const known = new Set(bundle.files.map(({ path }) => path));
  const candidates = bundle.kind === 'notebook' ? outputsOf(bundle, folder) : treeOf(folder, except);
  const added = candidates.filter((path) => !known.has(path));
  const modified: string[] = [];
  const removed: string[] = [];
  for (const file of bundle.files) {
    const there = readPlainFile(join(folder, file.path), FILE_LIMIT);
    if (there === undefined) removed.push(file.path);
    else if (differs(file, there)) modified.push(file.path);
  }
  const inSync = modified.length + added.length + removed.length === 0;
  return { inSync, modified: modified.sort(), added: added.sort(), removed: removed.sort() };
}

function treeOf(folder: string, except: ((path: string) => boolean) | undefined): string[] {
  return readSources(folder, except).files.map(({ path }) => path);
}

/** Other files beside a notebook do not matter; a new file that belongs to it is the output of a run. */
function outputsOf({ files }: OpenBundle, folder: string): string[] {
  const sidecars = files.filter(({ path }) => isNotebookFile(path)).map(({ path }) => `${path}.out`);
  return sidecars.filter((path) => readPlainFile(join(folder, path), 0) !== undefined);
}

/** Only the owner's execute bit of the mode counts: the rest varies between machines. */
function differs(file: BundleFile, there: PlainFile): boolean {
  if ((file.mode & 0o100) !== (there.mode & 0o100)) return true;
  if (file.content === undefined) return there.size !== file.originalSize;
  return there.content === undefined || Buffer.compare(file.content, there.content) !== 0;
}
