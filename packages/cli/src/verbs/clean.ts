import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isNotebookFile, isNotebookText, parseNotebook, parseSidecar } from '@woof/documents';
import { artifactPath, filesOf, filesWritten, isArtifactOf, readPlainFile, removeBeside } from '@woof/worker';
import { environmentsOf, locateData } from '../data-directory.ts';
import { readText } from '../read-plan.ts';
import { UserError } from '../user-error.ts';
import { DATA, defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: ['[FILE]'],
  options: {
    all: { doc: 'also remove the cell cache and the environments that --install created' },
    json: { doc: 'print {"cleaned": notebooks, "removed": directories}' },
    data: DATA,
  },
  about:
    'Woof removes the sidecar file of a notebook and the artifacts that the sidecar names. Without FILE, it cleans every notebook in the current directory. The notebooks themselves are kept.',
  examples: [
    ['woof clean analysis.woofnb', 'clean one notebook'],
    ['woof clean --all', 'clean all notebooks here, and the cell cache'],
  ],
  async run([file], flags) {
    const files = file ? [file] : readdirSync('.').filter(isNotebookFile);
    for (const path of files) clean(readNotebook(path));
    const data = locateData(flags.data);
    const removed = flags.all ? [join(data.path, 'cells'), environmentsOf(data)].filter(existsSync) : [];
    for (const folder of removed) rmSync(folder, { recursive: true, force: true });
    if (flags.json) console.log(JSON.stringify({ cleaned: files, removed }));
    return 0;
  },
});

function readNotebook(path: string) {
  const read = readText(path);
  if (isNotebookFile(path) || isNotebookText(read.text)) return read;
  throw new UserError(
    `${path} is not a notebook`,
    'woof clean removes the outputs of notebooks (FILE.woofnb)',
    2,
  );
}

/**
 * Another notebook in this folder may have artifacts of cells with the same ids, so only what this one wrote is
 * removed.
 */
function clean({ text, file }: { text: string; file: string }): void {
  const named = new Map<string, string[]>();
  const sidecar = readPlainFile(`${file}.out`)?.toString('utf8') ?? '';
  for (const { cell, outputs } of parseSidecar(sidecar).entries)
    named.set(cell, [...(named.get(cell) ?? []), ...filesWritten(cell, outputs)]);
  for (const { id, type } of parseNotebook(text).notebook.cells) {
    const always = Object.values(filesOf(type)).map((name) => artifactPath(id, name));
    for (const path of [...always, ...(named.get(id) ?? [])])
      if (isArtifactOf(id, path)) removeBeside(dirname(file), path);
  }
  rmSync(`${file}.out`, { force: true });
}
