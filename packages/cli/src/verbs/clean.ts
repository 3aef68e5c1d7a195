import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseNotebook } from '@woof/documents';
import { environmentsOf, locateData } from '../data-directory.ts';
import { readText } from '../read-plan.ts';
import { DATA, defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: ['[FILE]'],
  options: { all: { doc: 'the cache of cells and the environments that --install made too' }, data: DATA },
  about:
    "Removes a notebook's sidecar and the artifacts of its cells; without FILE, those of every notebook in this folder. Sources stay.",
  examples: [
    ['woof clean analysis.woofnb', 'of one notebook'],
    ['woof clean --all', 'of this folder, and the cache'],
  ],
  async run([file], flags) {
    const files = file ? [file] : readdirSync('.').filter((name) => /\.(woofnb|wnb)$/.test(name));
    for (const path of files) clean(readText(path));
    const data = locateData(flags.data);
    for (const folder of flags.all ? [join(data.path, 'cells'), environmentsOf(data)] : []) {
      rmSync(folder, { recursive: true, force: true });
    }
    return 0;
  },
});

function clean({ text, file }: { text: string; file: string }): void {
  rmSync(`${file}.out`, { force: true });
  for (const { id } of parseNotebook(text).notebook.cells) {
    // An id is part of a path only where it is one that the format allows.
    if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(id)) continue;
    const artifacts = join(dirname(file), 'artifacts', id);
    if (existsSync(artifacts)) rmSync(artifacts, { recursive: true });
  }
}
