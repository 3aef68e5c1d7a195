import { existsSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BlockedPath, isAbsentOrEmpty, openBundle, writeTree } from '@woof/workbook-build';
import { folderOfBundle } from '../folder-of-bundle.ts';
import { makeFolder } from '../make-folder.ts';
import { harmless } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { defineVerb, JSON_FLAG } from '../verb.ts';
import { orRefused, readable } from '../workbook-refusal.ts';

export const verb = defineVerb({
  args: ['HTML', '[DIR]'],
  options: {
    force: { doc: 'write into a directory that is not empty; files with other names are kept' },
    json: JSON_FLAG,
  },
  about:
    'Without DIR, Woof uses the directory name stored in the page. Woof writes all files or none: a path that leads outside the directory, a damaged bundle or a full disk leaves nothing behind.',
  examples: [
    ['woof unbundle report.html', 'write the sources to the directory named in the page'],
    ['woof unbundle report.html src --force', 'write to src, replacing existing files'],
  ],
  async run([html = '', given], flags) {
    return orRefused(flags, () => {
      const bundle = readable(html, () => openBundle(html));
      const shown = given ?? folderOfBundle(bundle, html, 'unbundle');
      const folder = existsSync(shown) ? realpathSync(shown) : resolve(shown);
      if (!flags.force && !isUsable(folder)) {
        throw new UserError(
          `${shown} is not empty`,
          'choose another directory, or overwrite its files with --force',
          2,
        );
      }
      const files = bundle.files.flatMap(({ content, ...file }) => (content ? [{ ...file, content }] : []));
      const missing = bundle.files.filter(({ content }) => !content).map(({ path }) => path);
      makeFolder(dirname(folder));
      write(folder, files);
      if (flags.json) console.log(JSON.stringify({ ok: true, folder: shown, files: files.length, missing }));
      else report(shown, files.length, missing);
      return 0;
    });
  },
});

function isUsable(folder: string): boolean {
  try {
    return isAbsentOrEmpty(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw error;
  }
}

function write(folder: string, files: Parameters<typeof writeTree>[1]): void {
  try {
    writeTree(folder, files);
  } catch (error) {
    if (!(error instanceof BlockedPath)) throw error;
    throw new UserError(`nothing was written: ${error.message}`, 'move it away, or choose another directory');
  }
}

function report(folder: string, count: number, missing: readonly string[]): void {
  for (const path of missing)
    process.stderr.write(`${harmless(path)}: too large for the page, not written\n`);
  console.log(`${harmless(folder)}: ${count} ${count === 1 ? 'file' : 'files'}`);
}
