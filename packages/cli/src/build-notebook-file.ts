/** Builds a page from a notebook file and the files beside it. */
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { PagePart } from '@woof/workbook-build';
import type { BuiltNotebook, NotebookOptions } from '@woof/workbook-build/notebook';
import { readBeside } from '@woof/worker';
import { readPlan, refuseErrors } from './read-plan.ts';
import { UserError } from './user-error.ts';

export interface NotebookFlags {
  live?: string;
  code?: string;
  'allow-secret'?: string[];
  'include-secret'?: string[];
}

/** Paths of sources that a page may contain although they look like secrets. */
export function allowedSecrets(flags: NotebookFlags): string[] {
  return [...(flags['allow-secret'] ?? []), ...(flags['include-secret'] ?? [])];
}

export async function buildNotebookFile(
  file: string,
  flags: NotebookFlags,
  part: PagePart,
): Promise<BuiltNotebook> {
  const options = optionsOf(flags);
  const read = readPlan(file);
  refuseErrors(read, file);
  // The page returns its sources byte for byte, which is impossible if decoding replaced some of them.
  if (!readFileSync(read.source.file).equals(Buffer.from(read.text)))
    throw new UserError(`${file} is not UTF-8 text`, 'save it as UTF-8', 2);
  const { buildNotebook } = await import('@woof/workbook-build/notebook');
  const { source, text } = read;
  const folder = dirname(source.file);
  return buildNotebook(
    { name: basename(source.file), text, read: (path) => readBeside(folder, path) },
    options,
    part,
  );
}

const LIVE = ['none', 'js', 'python'] as const;
const CODE = ['folded', 'shown', 'hidden'] as const;

/** Throws if a flag has a wrong value. */
export function optionsOf(flags: NotebookFlags): NotebookOptions {
  const { live, code } = flags;
  return {
    includeSecrets: allowedSecrets(flags),
    ...(live === undefined ? {} : { live: oneOf('--live', live, LIVE) }),
    ...(code === undefined ? {} : { code: oneOf('--code', code, CODE) }),
  };
}

function oneOf<Word extends string>(flag: string, word: string, words: readonly Word[]): Word {
  const found = words.find((each) => each === word);
  if (found === undefined)
    throw new UserError(`${flag} ${word}: unknown value`, `use one of ${words.join(', ')}`, 2);
  return found;
}
