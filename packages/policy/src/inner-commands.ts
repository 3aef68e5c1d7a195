/**
 * The programs that one program runs because of its arguments: through wrappers, shell texts, `find -exec` and similar.
 *
 * If a wrapper has an unknown option, any of the next words may begin the command. All of them are returned as guesses,
 * and a guess counts only if it is blocked.
 */
import { elsewhereOf, isChain, type Place, placeAfter } from './change-of-folder.ts';
import { type Invocation, UNKNOWN } from './invocation.ts';
import { baseName } from './names.ts';
import { type OptionTable, readOptions } from './options.ts';
import { shellCommands } from './shell-words.ts';
import { TEXT_OPTIONS } from './text-options.ts';
import { WRAPPERS, type Wrapper } from './wrappers.ts';

/** A command begins within this many words after its wrapper's options. */
const GUESSED = 40;

export function innerCommands(outer: Invocation, isShell: (name: string) => boolean): Invocation[] {
  const texts = Object.hasOwn(TEXT_OPTIONS, outer.program) ? TEXT_OPTIONS[outer.program] : undefined;
  const wrapper = Object.hasOwn(WRAPPERS, outer.program) ? WRAPPERS[outer.program] : undefined;
  return [
    ...(isShell(outer.program) ? ofShell(outer) : []),
    ...(outer.program === 'find' ? ofFind(outer) : []),
    ...(/^fd(find)?$/.test(outer.program) ? ofFd(outer) : []),
    ...(texts ? ofTextOptions(outer, texts) : []),
    ...(wrapper ? ofWrapper(outer, wrapper) : []),
  ];
}

function toInner(outer: Invocation, words: readonly string[], more: Partial<Invocation> = {}): Invocation[] {
  const [name, ...args] = words;
  if (name === undefined || name === '') return [];
  const { guess, inShell, elsewhere } = outer;
  const place = elsewhere === undefined ? {} : { elsewhere };
  const own = { program: baseName(name), args, via: [...outer.via, outer.program] };
  return [{ guess, inShell, ...place, ...more, ...own }];
}

function ofText(outer: Invocation, text: string): Invocation[] {
  return ofShellWords(outer, shellCommands(text), {}, isChain(text));
}

/** Commands after a change of directory run in the new directory. */
function ofShellWords(
  outer: Invocation,
  commands: readonly string[][],
  more: Partial<Invocation> = {},
  inChain = false,
) {
  let place: Place = { depth: 0 };
  return commands.flatMap((words) => {
    const { depth: _, ...moved } = place;
    place = placeAfter(place, words, inChain);
    return toInner(outer, words, { ...more, ...moved, inShell: true });
  });
}

function ofShell(outer: Invocation): Invocation[] {
  const { program, args } = outer;
  if (program === 'cmd') return afterFlag(outer, /^\/[ck]$/i);
  if (program === 'powershell' || program === 'pwsh')
    return afterFlag(outer, /^[-/]c(o(m(m(a(n(d)?)?)?)?)?)?$/i);
  const { options, end } = readOptions(args, SHELL);
  if (!options.some(({ name }) => name === '-c' || name === '--command')) return [];
  return ofText(outer, options.find(({ name }) => name === '--command')?.value ?? args[end] ?? '');
}

function afterFlag(outer: Invocation, flag: RegExp): Invocation[] {
  const at = outer.args.findIndex((arg) => flag.test(arg));
  return at < 0 ? [] : ofText(outer, outer.args.slice(at + 1).join(' '));
}

function ofWrapper(outer: Invocation, wrapper: Wrapper): Invocation[] {
  const { args } = outer;
  const from = wrapper.behind ? args.findIndex((arg) => wrapper.behind?.includes(arg)) + 1 : 0;
  if (wrapper.behind && from === 0) return [];
  const { options, end, unknownAt = args.length } = readOptions(args, wrapper, from);
  if (options.some(({ name }) => wrapper.inert?.includes(name))) return [];
  const begin = end + (wrapper.operands ?? 0);
  const folders = options.flatMap(({ name, value = '' }) => (wrapper.folder?.includes(name) ? [value] : []));
  if (wrapper.folder?.length === 0) folders.push(args[end] ?? '');
  const inner = folders.length === 0 ? outer : { ...outer, ...elsewhereOf(folders.slice(-1), outer.inShell) };
  const rest = args.slice(end).join(' ');
  const texts = options.flatMap(({ name, value }) =>
    value !== undefined && wrapper.text?.includes(name) ? [`${value} ${rest}`] : [],
  );
  // `flock FILE -c TEXT`
  if (wrapper.text?.includes(args[begin] ?? '')) texts.push(args[begin + 1] ?? '');
  const guesses = Array.from(
    { length: Math.min(GUESSED, args.length - unknownAt) },
    (_, index) => unknownAt + index,
  );
  return [
    ...texts.flatMap((text) => ofText(inner, BEGINS_ITSELF.test(text) ? `${outer.program} ${text}` : text)),
    ...commandAt(inner, wrapper, begin, outer.guess),
    ...guesses.flatMap((at) => commandAt(inner, wrapper, at, true)),
  ];
}

/** `env -S "-C / rm x"`: the text contains the wrapper's own arguments. */
const BEGINS_ITSELF = /^\s*(-|\w+=)/;

function commandAt(outer: Invocation, wrapper: Wrapper, from: number, guess: boolean): Invocation[] {
  let at = from;
  // `env -` is `env -i`.
  if (wrapper.assignments) while (/^([^=\s]+=|-$)/.test(outer.args[at] ?? '')) at += 1;
  if (outer.args[at] === '--') at += 1;
  const words = outer.args.slice(at);
  if (words.length === 0) return [];
  const unknown = wrapper.unknownArgs ? [UNKNOWN] : [];
  if (!wrapper.joined) return toInner(outer, [...words, ...unknown], { guess });
  const read = shellCommands(words.join(' '));
  const known = read.map((each) => [...each, ...unknown]);
  return [
    ...ofShellWords(outer, known, { guess }),
    // The author may have forgotten that a shell parses the words again.
    ...toInner(outer, words, { guess: true }),
  ];
}

/** One command per starting point of `find`, which replaces `{}`. */
function ofFind(outer: Invocation): Invocation[] {
  const starts = findStarts(outer.args);
  return actionsOf(outer.args).flatMap((words) =>
    starts.flatMap((start) =>
      toInner(
        outer,
        words.map((word) => word.replaceAll('{}', `${start}/x`)),
      ),
    ),
  );
}

/** The command of `fd` follows all other arguments. The paths that it receives are unknown. */
function ofFd(outer: Invocation): Invocation[] {
  const at = outer.args.findIndex((arg) => /^(-[a-zA-Z]*[xX]|--exec(-batch)?)$/.test(arg));
  return at < 0 ? [] : toInner(outer, [...outer.args.slice(at + 1), UNKNOWN]);
}

function actionsOf(args: readonly string[]): string[][] {
  const actions: string[][] = [];
  let open: string[] | undefined;
  for (const arg of args) {
    if (open && /^(\\?;|\+)$/.test(arg)) open = undefined;
    else if (open) open.push(arg);
    else if (/^-(exec|execdir|ok|okdir)$/.test(arg)) {
      open = [];
      actions.push(open);
    }
  }
  return actions;
}

function ofTextOptions(outer: Invocation, patterns: readonly RegExp[]): Invocation[] {
  return outer.args.flatMap((word, at) =>
    patterns.flatMap((pattern) => {
      const match = pattern.exec(word);
      return match ? ofText(outer, match[1] ?? outer.args[at + 1] ?? '') : [];
    }),
  );
}

/** The starting points of `find`; the working directory if none is given. */
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

const SHELL: OptionTable = {
  plain: 'abcefhiklmnprstuvxBCDEHPT',
  valued: 'oO',
  longValued: ['--rcfile', '--init-file', '--command', '--init-command'],
  longPlain: '*',
};
