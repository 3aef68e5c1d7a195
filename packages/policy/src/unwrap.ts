/**
 * Every program that a command line would run, as far as its words tell: through paths, wrappers, shells' texts,
 * `find -exec` and the like.
 *
 * Where an option of a wrapper is not known, any later word may begin the command: all of them are looked at, as
 * guesses, and only what is blocked among them counts.
 */
import { baseName } from './names.ts';
import { type OptionTable, readOptions } from './options.ts';
import { shellCommands } from './shell-words.ts';
import { WRAPPERS, type Wrapper } from './wrappers.ts';

export interface Invocation {
  /** Without folder and `.exe`, in lower case. */
  program: string;
  args: readonly string[];
  /** The programs around it, outermost first. */
  via: readonly string[];
  /** It may be an argument. */
  guess: boolean;
  /** It stands in a shell's text, so `$` in its words means something. */
  inShell: boolean;
}

/** Stands for arguments that nobody knows before it runs. */
export const UNKNOWN = '\0unknown';

const DEEPEST = 12;
const MOST = 20_000;
/** A command begins soon after the options of its wrapper. */
const GUESSED = 40;

export interface Unwrapped {
  invocations: Invocation[];
  /** It goes deeper than anybody would write by hand. */
  tooDeep: boolean;
}

export function unwrap(
  program: string,
  args: readonly string[],
  isShell: (name: string) => boolean,
): Unwrapped {
  const found: Unwrapped = { invocations: [], tooDeep: false };
  visit({ program: baseName(program), args, via: [], guess: false, inShell: false });
  return found;

  function visit(invocation: Invocation): void {
    if (invocation.via.length >= DEEPEST || found.invocations.length >= MOST) {
      found.tooDeep = true;
      return;
    }
    found.invocations.push(invocation);
    if (isShell(invocation.program)) shell(invocation);
    else if (invocation.program === 'find' || invocation.program === 'gfind') findActions(invocation);
    else if (invocation.program === 'tar' || invocation.program === 'bsdtar') textOptions(invocation, TAR);
    else if (invocation.program === 'rsync') textOptions(invocation, RSYNC);
    else if (invocation.program === 'git') textOptions(invocation, GIT);
    const wrapper = Object.hasOwn(WRAPPERS, invocation.program) ? WRAPPERS[invocation.program] : undefined;
    if (wrapper) wrapped(invocation, wrapper);
  }

  function inner(outer: Invocation, words: readonly string[], more: Partial<Invocation> = {}): void {
    const [name, ...rest] = words;
    if (name === undefined || name === '') return;
    const { guess, inShell } = outer;
    visit({
      guess,
      inShell,
      ...more,
      program: baseName(name),
      args: rest,
      via: [...outer.via, outer.program],
    });
  }

  function text(outer: Invocation, given: string, guess = outer.guess): void {
    for (const words of shellCommands(given)) inner(outer, words, { guess, inShell: true });
  }

  function shell(outer: Invocation): void {
    if (outer.program === 'cmd') {
      const at = outer.args.findIndex((arg) => /^\/[ck]$/i.test(arg));
      if (at >= 0) text(outer, outer.args.slice(at + 1).join(' '));
      return;
    }
    if (outer.program === 'powershell' || outer.program === 'pwsh') {
      const at = outer.args.findIndex((arg) => /^[-/]c(o(m(m(a(n(d)?)?)?)?)?)?$/i.test(arg));
      if (at >= 0) text(outer, outer.args.slice(at + 1).join(' '));
      return;
    }
    const { options, end } = readOptions(outer.args, SHELL);
    if (!options.some(({ name }) => name === '-c' || name === '--command')) return;
    const script = options.find(({ name }) => name === '--command')?.value ?? outer.args[end];
    if (script !== undefined) text(outer, script);
  }

  function wrapped(outer: Invocation, wrapper: Wrapper): void {
    const from = wrapper.behind ? behind(outer.args, wrapper.behind) : 0;
    if (from === undefined) return;
    const { options, end, unknownAt } = readOptions(outer.args, wrapper, from);
    if (options.some(({ name }) => wrapper.inert?.includes(name))) return;
    const begin = end + (wrapper.operands ?? 0);
    // `flock FILE -c TEXT`
    if (wrapper.text?.includes(outer.args[begin] ?? '')) text(outer, outer.args[begin + 1] ?? '');
    for (const { name, value } of options) {
      if (value !== undefined && wrapper.text?.includes(name))
        text(outer, `${value} ${outer.args.slice(end).join(' ')}`);
    }
    command(outer, wrapper, begin, outer.guess);
    if (unknownAt === undefined) return;
    const last = Math.min(outer.args.length, unknownAt + GUESSED);
    for (let at = unknownAt; at < last; at += 1) command(outer, wrapper, at, true);
  }

  function command(outer: Invocation, wrapper: Wrapper, from: number, guess: boolean): void {
    let at = from;
    if (wrapper.assignments) while (/^[^=\s]+=/.test(outer.args[at] ?? '')) at += 1;
    if (outer.args[at] === '--') at += 1;
    const unknown = wrapper.unknownArgs ? [UNKNOWN] : [];
    const words = outer.args.slice(at);
    if (words.length === 0) return;
    const commands = wrapper.joined ? shellCommands(words.join(' ')) : [words];
    const inShell = outer.inShell || wrapper.joined === true;
    for (const each of commands) inner(outer, [...each, ...unknown], { guess, inShell });
    // Whoever wrote the words may have forgotten that a shell reads them again.
    if (wrapper.joined) inner(outer, words, { guess: true });
  }

  function findActions(outer: Invocation): void {
    const starts = findStarts(outer.args);
    for (let at = 0; at < outer.args.length; at += 1) {
      if (!/^-(exec|execdir|ok|okdir)$/.test(outer.args[at]!)) continue;
      let end = at + 1;
      while (end < outer.args.length && !/^(\\?;|\+)$/.test(outer.args[end]!)) end += 1;
      const words = outer.args.slice(at + 1, end);
      for (const start of starts)
        inner(
          outer,
          words.map((word) => word.replaceAll('{}', `${start}/x`)),
        );
      at = end;
    }
  }

  function textOptions(outer: Invocation, table: OptionTable & { text: readonly RegExp[] }): void {
    const words = outer.args;
    for (const [at, word] of words.entries()) {
      for (const pattern of table.text) {
        const match = pattern.exec(word);
        if (match) text(outer, match[1] ?? words[at + 1] ?? '');
      }
    }
  }
}

/** Where `find` begins; the working directory where nothing says so. */
export function findStarts(args: readonly string[]): string[] {
  let from = 0;
  while (/^-([HLP]|O\d*|D)$/.test(args[from] ?? '')) from += args[from] === '-D' ? 2 : 1;
  const starts = [];
  for (const arg of args.slice(from)) {
    if (/^[-(!,]/.test(arg)) break;
    starts.push(arg);
  }
  return starts.length > 0 ? starts : ['.'];
}

function behind(args: readonly string[], words: readonly string[]): number | undefined {
  const at = args.findIndex((arg) => words.includes(arg));
  return at < 0 ? undefined : at + 1;
}

const SHELL: OptionTable = {
  plain: 'abcefhiklmnprstuvxBCDEHPT',
  valued: 'oO',
  longValued: ['--rcfile', '--init-file', '--command', '--init-command'],
  longPlain: '*',
};
const TAR = {
  text: [
    /^--to-command(?:=(.*))?$/s,
    /^--checkpoint-action=exec=(.*)$/s,
    /^--use-compress-program(?:=(.*))?$/s,
    /^-I(.+)?$/s,
    /^--(?:new-volume|info|rsh)-(?:script|command)(?:=(.*))?$/s,
  ],
};
const RSYNC = { text: [/^--rsh(?:=(.*))?$/s, /^-[a-zA-Z]*e(.+)?$/s, /^--rsync-path(?:=(.*))?$/s] };
/** An alias with `!`, and settings that name programs. */
const GIT = {
  text: [
    /^alias\.[^=]*=!(.*)$/s,
    /^core\.(?:sshcommand|pager|editor|fsmonitor)=(.*)$/is,
    /^--(?:exec|upload-pack|receive-pack)=(.*)$/s,
  ],
};
