import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isNotebookFile } from '@woof/documents';
import { sourceOf } from '@woof/engine';
import { referenceTo } from '@woof/stores';
import type { RunSource } from '@woof/workbook-build';
import { allowedSecrets, buildNotebookFile, type NotebookFlags, optionsOf } from '../build-notebook-file.ts';
import type { HomeFlags } from '../home-flags.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { notBuildable, nothingToBuild } from '../nothing-to-build.ts';
import { type OpenRun, withRun } from '../open-run.ts';
import { isPageItself } from '../page-itself.ts';
import { pagePart } from '../page-part.ts';
import { refuseOwnSource } from '../refuse-own-source.ts';
import { harmless } from '../terminal.ts';
import { NoSuchRun, UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';
import { orRefused } from '../workbook-refusal.ts';
import { writeAtomically } from '../write-atomically.ts';

interface Built {
  html: string;
  kind: 'run' | 'folder' | 'notebook';
  /** What the workbook leaves out, one line each. */
  left: string[];
  /** For a notebook, the languages whose cells run in the page. */
  live?: string[];
}

export const verb = defineVerb({
  args: ['FILE|RUN|FOLDER'],
  options: {
    output: { doc: 'HTML file to write', value: 'OUT', short: 'o' },
    live: {
      doc: 'notebook cells that can run in the page: none, js, or python (and js); default: js if a cell can use it',
      value: 'WHICH',
    },
    code: { doc: 'notebook code: folded, shown or hidden (default: folded)', value: 'HOW' },
    run: { doc: 'run the notebook first' },
    json: { doc: 'print {"file", "kind", "bytes", "left"}; for a notebook also "live"' },
    'allow-secret': {
      doc: 'include this file even though it looks like a secret; everyone who has the page can read it',
      value: 'PATH',
      many: true,
    },
    'include-secret': { doc: 'same as --allow-secret', value: 'PATH', many: true },
    ...HOME_OPTIONS,
  },
  about:
    'The page needs no other file and no network. It contains its sources, which woof unbundle extracts. A notebook page includes the outputs in the sidecar file. A folder needs an index.html; Woof embeds its styles, scripts, fonts, images and fetched files. If a file cannot be embedded, Woof lists the reason and writes nothing.',
  examples: [
    ['woof build analysis.woofnb -o analysis.html', 'build a notebook with its stored outputs'],
    ['woof build analysis.woofnb -o analysis.html --live python', 'let its cells run in the page'],
    ['woof build last -o report.html', 'build a page that replays the newest run'],
    ['woof build site/ -o site.html', 'build a folder with an index.html'],
    ['woof build site/ -o site.html --allow-secret demo.pem', 'include a key that everyone may read'],
  ],
  async run([what = ''], flags) {
    return orRefused(flags, () => build(what, flags));
  },
});

interface BuildFlags extends HomeFlags, NotebookFlags {
  output?: string;
  json?: true;
  run?: true;
}

async function build(what: string, flags: BuildFlags): Promise<number> {
  const { output: file } = flags;
  if (file === undefined)
    throw new UserError('no output file is given', `use: woof build ${what} -o OUT.html`, 2);
  if (isFolder(file)) {
    throw new UserError(`${file} is a directory`, 'name a file: -o OUT.html', 2);
  }
  refuseOwnSource(isFolder(what) ? join(what, 'index.html') : what, file);
  const { html, ...built } = await builderOf(what)(what, flags);
  writeAtomically(file, html);
  const bytes = Buffer.byteLength(html);
  if (flags.json) console.log(JSON.stringify({ file, bytes, ...built }));
  else {
    console.log(`${file}  ${Math.ceil(bytes / 1024)} KB`);
    for (const left of built.left) console.error(harmless(`left out: ${left}`));
  }
  return 0;
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function builderOf(what: string): (what: string, flags: BuildFlags) => Promise<Built> {
  const found = statSync(what, { throwIfNoEntry: false });
  if (found?.isDirectory()) return buildFolder;
  if (found && isNotebookFile(what)) return buildNotebook;
  if (found?.isFile()) throw notBuildable(what);
  return buildRun;
}

async function buildNotebook(file: string, flags: BuildFlags): Promise<Built> {
  optionsOf(flags);
  if (flags.run) await runFirst(file, flags);
  const { html, live, absent } = await buildNotebookFile(file, flags, pagePart);
  return { html, kind: 'notebook', live, left: absent };
}

/** A cell that fails leaves its error in the page, so that is no reason to stop. */
async function runFirst(file: string, { data }: BuildFlags): Promise<void> {
  const { verb: runVerb } = await import('./run.ts');
  const status = await runVerb.run([file], { quiet: true, ...(data === undefined ? {} : { data }) });
  if (status === 2) throw new UserError(`${file} did not run`, `see: woof run ${file}`, 2);
}

async function buildFolder(folder: string, flags: BuildFlags): Promise<Built> {
  const { buildFolder: build } = await import('@woof/workbook-build/folder');
  const except = isPageItself(folder, flags.output!);
  const includeSecrets = allowedSecrets(flags);
  const { html, warnings } = await build(folder, { except, includeSecrets, part: pagePart });
  const left = warnings.map(({ file, line, message }) => `${file}:${line} ${message}`);
  return { html, kind: 'folder', left };
}

async function buildRun(word: string, flags: BuildFlags): Promise<Built> {
  const built = withRun(word, flags, async (opened): Promise<Built> => {
    const { buildRun: build, readRun, RunTooLarge } = await import('@woof/workbook-build');
    const { run, left } = await readRun(await runSource(opened)).catch((error: unknown) => {
      if (!(error instanceof RunTooLarge)) throw error;
      throw new UserError(error.message, `read them with: woof events ${opened.row.execution_id} --json`);
    });
    const includeSecrets = allowedSecrets(flags);
    return { html: build(run, { part: pagePart, includeSecrets }), kind: 'run', left };
  });
  return built.catch((error: unknown) => {
    throw error instanceof NoSuchRun && word !== 'last' ? nothingToBuild(word) : error;
  });
}

async function runSource({ home, row }: OpenRun): Promise<RunSource> {
  const { execution_id: id, plan_hash } = row;
  const plan = await home.store.plan(plan_hash);
  if (plan === undefined) throw new Error(`the plan of run ${id} is missing`);
  const { document } = await sourceOf(home.store, id);
  return {
    row,
    plan,
    frames: home.frames(row, false),
    logs: home.logs(row),
    text: (reference) => home.text(reference),
    document: async () => document && home.text(referenceTo(document, 0, null)).catch(() => undefined),
    children: await home.store.executions({ parent: id }),
  };
}
