/**
 * Determines where the commands in a shell text run, from the directory changes before them.
 *
 * Invariant: once a command may have left the working directory, nothing leads back: a subdirectory of an outside
 * directory is outside too.
 */
import { baseName, pathFault } from './names.ts';

export interface Place {
  /** A description of the directory, if it may be outside the working directory. */
  elsewhere?: string;
  /** How many levels below the working directory it certainly is. */
  depth: number;
}

const CHANGES_FOLDER = /^(cd|pushd|chdir)$/;
const SAME_SHELL = /^(command|builtin|time)$/;
/** Commands joined only by `&&`: each runs only if the one before it succeeded. */
const CHAIN = /^[^;|()`\n&!]*(&&[^;|()`\n&!]*)*$/;
/** With these options, `..` is not the directory that one came from if that was a symbolic link. */
const PHYSICAL = /-\w*P|physical/;
const PLAIN_RELATIVE = /^[\w.][\w./-]*$/;

/** Whether later commands are certain not to run if a change of directory failed or happened in another process. */
export function isChain(text: string): boolean {
  return CHAIN.test(text) && !PHYSICAL.test(text);
}

/** The place after a command. Only a chain guarantees that the shell is where `cd` said, so that `..` leads back. */
export function placeAfter(place: Place, words: readonly string[], inChain: boolean): Place {
  const [name = '', ...args] = behindBuiltins(words);
  const program = baseName(name);
  if (program === 'popd') return { ...place, depth: 0 };
  if (!CHANGES_FOLDER.test(program)) return place;
  const depth = inChain && args.length === 1 ? depthIn(args[0]!, place.depth) : undefined;
  if (depth !== undefined) return { ...place, depth };
  return { ...place, ...elsewhereOf(args, true), depth: 0 };
}

/** Judges the first word that is not an option; without one, the home directory. */
export function elsewhereOf(args: readonly string[], inShell: boolean): { elsewhere?: string } {
  const folder = args.find((arg) => !/^-./.test(arg)) ?? '~';
  const elsewhere = folder === '-' ? 'the previous directory' : pathFault(folder, inShell, 'allowed');
  return elsewhere === undefined ? {} : { elsewhere };
}

/** Skips the builtins in `command cd /`. `command -v cd` changes nothing. */
function behindBuiltins(words: readonly string[]): readonly string[] {
  let at = 0;
  while (SAME_SHELL.test(words[at] ?? '')) {
    at += 1;
    for (; words[at]?.startsWith('-'); at += 1) if (/^-\w*[vV]/.test(words[at]!)) return [];
  }
  return words.slice(at);
}

/** Undefined if the directory is not clearly below, or leads out. */
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
