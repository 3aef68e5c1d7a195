import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { IGNORED, PROJECT_FILES } from '../init/project-files.ts';
import { makeFolder } from '../make-folder.ts';
import { shellWord } from '../shell-word.ts';
import { harmless } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: ['[DIR]'],
  options: { json: { doc: 'print {"folder", "created", "kept", "next", "add_to_gitignore"}' } },
  about:
    'Writes a playbook, a notebook, a stage workflow, AGENTS.md for coding agents and .gitignore to DIR or this folder. Existing files are never changed.',
  examples: [
    ['woof init', 'in this folder'],
    ['woof init my-project', 'in a new folder'],
  ],
  async run([dir = '.'], flags) {
    makeFolderFor(dir);
    const isNew = new Map(PROJECT_FILES.map((file) => [file, writeNew(join(dir, file.name), file.text)]));
    const created = PROJECT_FILES.filter((file) => isNew.get(file));
    const kept = PROJECT_FILES.filter((file) => !isNew.get(file)).map(({ name }) => name);
    const next = nextCommands(dir);
    const names = created.map(({ name }) => name);
    const add_to_gitignore = missingFrom(join(dir, '.gitignore'));
    const account = { folder: resolve(dir), created: names, kept, next, add_to_gitignore };
    if (flags.json) console.log(JSON.stringify(account));
    else tell(account);
    return 0;
  },
});

function makeFolderFor(dir: string): void {
  const there = statSync(dir, { throwIfNoEntry: false });
  if (there && !there.isDirectory())
    throw new UserError(`${harmless(dir)} is a file`, 'name a folder: woof init DIR', 2);
  makeFolder(resolve(dir));
}

/** False: something of that name exists, even if it is a link. */
function writeNew(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function nextCommands(dir: string): string[] {
  const runs = PROJECT_FILES.flatMap(({ next }) => next ?? []);
  const enter = resolve(dir) === process.cwd() ? [] : [`cd ${shellWord(asPath(dir))}`];
  return [...enter, ...runs];
}

/** To `cd`, a word that begins with a dash is an option, quoted or not. */
const asPath = (dir: string) => (dir.startsWith('-') ? `./${dir}` : dir);

/** Lines that a user's own .gitignore lacks. Without its slash, a line covers folders too. */
function missingFrom(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n').map(withoutSlash);
    return IGNORED.filter((line) => !lines.includes(withoutSlash(line)));
  } catch {
    return [];
  }
}

const withoutSlash = (line: string) => line.trimEnd().replace(/\/$/, '');

interface Account {
  created: string[];
  kept: string[];
  next: string[];
  add_to_gitignore: string[];
}

function tell({ created, kept, next, add_to_gitignore: unignored }: Account): void {
  for (const name of created) console.error(`created  ${name}`);
  for (const name of kept) console.error(`kept     ${name} (already exists)`);
  if (unignored.length > 0) console.error(`\nadd to .gitignore: ${unignored.join(' ')}`);
  console.error(`\nnext:\n${next.map((line) => `  ${harmless(line)}\n`).join('')}`.trimEnd());
}
