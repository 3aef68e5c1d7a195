import { readFileSync, statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HomeFlags } from '../home-flags.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { withRun } from '../open-run.ts';
import { readRunData } from '../read-run-data.ts';
import { harmless } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';
import { orRefused } from '../workbook-refusal.ts';
import { writeAtomically } from '../write-atomically.ts';

interface Built {
  html: string;
  kind: 'run' | 'folder';
  /** What the workbook does not hold, a line each. */
  left: string[];
}

export const verb = defineVerb({
  args: ['RUN|FOLDER'],
  options: {
    output: { doc: 'the HTML file to write', value: 'OUT', short: 'o' },
    json: { doc: 'print {"file", "kind", "bytes", "left"}' },
    'include-secret': {
      doc: 'take this file of a folder although it looks like a secret; whoever gets the page can read it',
      value: 'FILE',
      many: true,
    },
    ...HOME_OPTIONS,
  },
  about:
    'The page needs no other file and no network, and holds its sources: woof unbundle gives them back. A folder becomes a page by its index.html; styles, scripts, fonts, images and fetched files are put into it. What cannot be is listed, and nothing is written.',
  examples: [
    ['woof build last -o report.html', 'a page that replays the newest run'],
    ['woof build site/ -o site.html', 'a folder with an index.html as one page'],
    ['woof build site/ -o site.html --include-secret demo.pem', 'with a key that everybody may read'],
  ],
  async run([what = ''], flags) {
    return orRefused(flags, () => build(what, flags));
  },
});

interface BuildFlags extends HomeFlags {
  output?: string;
  json?: true;
  'include-secret'?: string[];
}

async function build(what: string, flags: BuildFlags): Promise<number> {
  const { output: file } = flags;
  if (file === undefined) throw new UserError('where to?', `say: woof build ${what} -o OUT.html`, 2);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UserError(`${file} is a folder`, 'say the name of a file: -o OUT.html', 2);
  }
  const isFolder = statSync(what, { throwIfNoEntry: false })?.isDirectory();
  const { html, ...built } = await (isFolder ? buildFolder(what, file, flags) : buildRun(what, flags));
  writeAtomically(file, html);
  const bytes = Buffer.byteLength(html);
  if (flags.json) console.log(JSON.stringify({ file, bytes, ...built }));
  else {
    console.log(`${file}  ${Math.ceil(bytes / 1024)} KB`);
    for (const left of built.left) console.error(harmless(`left out: ${left}`));
  }
  return 0;
}

async function buildFolder(folder: string, output: string, flags: BuildFlags): Promise<Built> {
  const { buildFolder: build } = await import('@woof/workbook-build/folder');
  // The page that is written into its own folder is no source of itself.
  const except = relative(resolve(folder), resolve(output)).split(sep).join('/');
  const includeSecrets = flags['include-secret'] ?? [];
  const { html, warnings } = await build(folder, { except, includeSecrets, part: pagePart });
  const left = warnings.map(({ file, line, message }) => `${file}:${line} ${message}`);
  return { html, kind: 'folder', left };
}

function buildRun(word: string, flags: HomeFlags): Promise<Built> {
  return withRun(word, flags, async (opened) => {
    const { run, left } = await readRunData(opened);
    const { buildRun: build } = await import('@woof/workbook-build');
    return { html: build(run, pagePart), kind: 'run', left };
  });
}

function pagePart(file: string): string {
  return readFileSync(fileURLToPath(new URL(`../workbook/${file}`, import.meta.url)), 'utf8');
}
