/** `rm`, `mv` and similar tools: which of their words are paths, and whether each stays in the working directory. */

import { findStarts } from './inner-commands.ts';
import type { Invocation } from './invocation.ts';
import { pathFault } from './names.ts';
import { type Option, readOptions } from './options.ts';

/** What is wrong with the paths given to a file tool. */
export function fileToolFault({ program, args, inShell, elsewhere }: Invocation): string | undefined {
  const { options } = readOptions(args, TABLE);
  const paths = operandsOf(args).slice(beginsWithMode(program, args, options) ? 1 : 0);
  const targets = options.flatMap(({ name, value }) =>
    /^(-t|--target-directory)$/.test(name) && value ? [value] : [],
  );
  if (paths.length === 0 && targets.length === 0) return undefined;
  const whole = DELETES.has(program) || isRecursive(program, args) ? 'refused' : 'allowed';
  return firstFault([...paths, ...targets], inShell, whole) ?? movedTo(elsewhere);
}

/** After a change of directory, relative paths lead elsewhere. */
function movedTo(elsewhere: string | undefined): string | undefined {
  return elsewhere && `a change of directory to ${elsewhere}`;
}

/** What is wrong with the paths that `find` or `rsync` would delete. */
export function deletionFault({
  program,
  args,
  inShell,
  elsewhere,
}: Invocation): { does: string; fault?: string } | undefined {
  if (program === 'find' || program === 'gfind') {
    if (!args.includes('-delete')) return undefined;
    const tested = args.some((arg) => FIND_TESTS.test(arg));
    const astray = firstFault(findStarts(args), inShell, tested ? 'allowed' : 'refused');
    return withFault('find -delete', astray ?? movedTo(elsewhere));
  }
  if (program !== 'rsync') return undefined;
  const operands = operandsOf(args);
  const emptied = args.some((arg) => /^--(del|delete\b)/.test(arg)) ? operands.slice(-1) : [];
  const taken = args.some((arg) => arg.startsWith('--remove-s')) ? operands.slice(0, -1) : [];
  if (emptied.length + taken.length === 0) return undefined;
  const does = emptied.length > 0 ? 'rsync --delete' : 'rsync --remove-source-files';
  const far = [...emptied, ...taken].find((path) => /^[\w.@-]+::?/.test(path));
  return withFault(
    does,
    far
      ? `${far}, on another machine`
      : (firstFault([...emptied, ...taken], inShell, 'refused') ?? movedTo(elsewhere)),
  );
}

const TABLE = {
  valued: 'tSmog',
  longValued: ['--target-directory', '--suffix', '--mode', '--owner', '--group', '--size', '--reference'],
  longPlain: '*',
} as const;
const DELETES = new Set(['rm', 'rmdir', 'unlink', 'shred', 'truncate', 'mv']);
const FIND_TESTS =
  /^-(i?name|i?path|i?regex|i?wholename|[acm]time|[acm]min|newer\w*|size|empty|user|group|perm|mindepth|links|inum|i?lname|xtype)$/;

/** Whether the first operand is a mode or an owner and not a path. An option can replace the mode: `chmod -w x`. */
function beginsWithMode(program: string, args: readonly string[], options: readonly Option[]): boolean {
  if (!hasMode(program) || options.some(({ name }) => name === '--reference')) return false;
  return program !== 'chmod' || !args.some((arg) => /^-[rwxXstugo]/.test(arg));
}

function hasMode(program: string): boolean {
  return program === 'chmod' || program === 'chown' || program === 'chgrp';
}

function isRecursive(program: string, args: readonly string[]): boolean {
  return hasMode(program) && args.some((arg) => /^-[a-zA-Z]*R|^--recursive$/.test(arg));
}

/** GNU tools accept options anywhere, so every word that is not an option is an operand. */
function operandsOf(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  const before = (end < 0 ? args : args.slice(0, end)).filter((arg) => !/^-./.test(arg));
  return end < 0 ? before : [...before, ...args.slice(end + 1)];
}

function firstFault(
  paths: readonly string[],
  inShell: boolean,
  whole: 'refused' | 'allowed',
): string | undefined {
  for (const path of paths) {
    const fault = pathFault(path, inShell, whole);
    if (fault) return fault;
  }
  return undefined;
}

function withFault(does: string, fault: string | undefined): { does: string; fault?: string } {
  return fault === undefined ? { does } : { does, fault };
}
