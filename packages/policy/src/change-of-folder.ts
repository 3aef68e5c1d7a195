/**
 * Where the commands of a shell's text run, as far as the changes of folder before them tell.
 *
 * Invariant: once out of the working directory, nothing leads back: a folder below one that is elsewhere is elsewhere too.
 */
import { baseName, pathFault } from './names.ts';

export interface Place {
  /** In words, where it may not be inside the working directory. */
  elsewhere?: string;
  /** How many folders below the working directory it surely is. */
  depth: number;
}

const CHANGES_FOLDER = /^(cd|pushd|chdir)$/;
const SAME_SHELL = /^(command|builtin|time)$/;
/** Commands that all run, each because the one before it went well. */
const CHAIN = /^[^;|()`\n&!]*(&&[^;|()`\n&!]*)*$/;
/** With these, `..` is not the folder that one came from where that was a link. */
const PHYSICAL = /-\w*P|physical/;
const PLAIN_RELATIVE = /^[\w.][\w./-]*$/;

/** Whether a change of folder that failed, or was another process's, keeps what comes after it from running. */
export function isChain(text: string): boolean {
  return CHAIN.test(text) && !PHYSICAL.test(text);
}

/** The place after a command. Only in a chain is it sure that one is where `cd` said, so that `..` leads back. */
export function placeAfter(place: Place, words: readonly string[], inChain: boolean): Place {
  const [name = '', ...args] = behindBuiltins(words);
  const program = baseName(name);
  if (program === 'popd') return { ...place, depth: 0 };
  if (!CHANGES_FOLDER.test(program)) return place;
  const depth = inChain && args.length === 1 ? depthIn(args[0]!, place.depth) : undefined;
  if (depth !== undefined) return { ...place, depth };
  return { ...place, ...elsewhereOf(args, true), depth: 0 };
}

/** Of the first word that is no option, which is the home directory where there is none. */
export function elsewhereOf(args: readonly string[], inShell: boolean): { elsewhere?: string } {
  const folder = args.find((arg) => !/^-./.test(arg)) ?? '~';
  const elsewhere = folder === '-' ? 'the previous directory' : pathFault(folder, inShell, 'allowed');
  return elsewhere === undefined ? {} : { elsewhere };
}

/** `command cd /`; but `command -v cd` only asks. */
function behindBuiltins(words: readonly string[]): readonly string[] {
  let at = 0;
  while (SAME_SHELL.test(words[at] ?? '')) {
    at += 1;
    for (; words[at]?.startsWith('-'); at += 1) if (/^-\w*[vV]/.test(words[at]!)) return [];
  }
  return words.slice(at);
}

/** Undefined where the folder is not plainly below, or leads out. */
function depthIn(folder: string, from: number): number | undefined {
  if (!PLAIN_RELATIVE.test(folder)) return undefined;
  let depth = from;
  for (const part of folder.split('/')) {
    if (part === '' || part === '.') continue;
    depth += part === '..' ? -1 : 1;
    if (depth < 0) return undefined;
  }
  return depth;
}
