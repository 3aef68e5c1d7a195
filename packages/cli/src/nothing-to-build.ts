/** The message if `woof build` is given a name from which it can make no page. */
import { readdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { isNotebookFile } from '@woof/documents';
import { nearest } from '@woof/expr/nearest';
import { UserError } from './user-error.ts';

/** Neither a file, nor a folder, nor a run. */
export function nothingToBuild(name: string): UserError {
  const near = nearest(basename(name), buildableIn(dirname(name)));
  return new UserError(
    `there is nothing to build: "${name}" is not a notebook, a folder or a run`,
    near === undefined ? KINDS : `did you mean ${join(dirname(name), near)}?`,
    2,
  );
}

/** A file of another kind. */
export function notBuildable(file: string): UserError {
  const kind = KINDS_OF_FILES[extname(file).toLowerCase()];
  return new UserError(`${file} is not a notebook`, kind?.(file) ?? KINDS, 2);
}

const KINDS = 'name a notebook (FILE.woofnb), a folder with an index.html, or a run (woof runs lists them)';

const shown = (file: string) =>
  `it is already a page: woof open ${file}; to build a folder, name the folder with its index.html`;
const ran = (file: string) => `build a page of its run: woof run ${file}, then woof build last -o OUT.html`;

const KINDS_OF_FILES: Record<string, (file: string) => string> = {
  '.html': shown,
  '.htm': shown,
  '.yaml': ran,
  '.yml': ran,
  '.json': ran,
};

function buildableIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() || isNotebookFile(entry.name))
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
