/**
 * Which words fit at the cursor, derived from what verbs declare: their options, and the placeholders of their
 * arguments and values. What only the machine knows (files, runs, steps) comes from `world`.
 */
import type { Verb } from '../verb.ts';

/** A word that fits, and what a shell may show beside it. */
export interface Candidate {
  word: string;
  about?: string;
}

export interface World {
  verbs: readonly Candidate[];
  load(verb: string): Promise<Verb | undefined>;
  /** Files and folders that begin with the prefix and have one of these endings; without endings, all of them. */
  files(prefix: string, endings?: RegExp): string[];
  runs(data: string | undefined): Promise<Candidate[]>;
  /** Steps or cells of a run or of a file. */
  steps(word: string, data: string | undefined): Promise<string[]>;
}

/** `words` follow the program's name, without shell quotes; the last one is being typed. */
export async function complete(words: readonly string[], world: World): Promise<Candidate[]> {
  const current = words.at(-1) ?? '';
  const found = words.length <= 1 ? [...world.verbs, ...BESIDE_VERBS] : await inside(words, world);
  const fitting = found.filter(({ word }) => word.startsWith(current) && !UNPRINTABLE.test(word));
  return [...new Map(fitting.map((candidate) => [candidate.word, candidate])).values()];
}

const BESIDE_VERBS: readonly Candidate[] = [
  { word: 'help', about: 'show how to use a command' },
  { word: '--help', about: 'list all commands' },
  { word: '--version', about: 'print the version' },
];

/** Such a word would take more than one line, or control the terminal. */
const UNPRINTABLE = /\p{Cc}/u;

async function inside(words: readonly string[], world: World): Promise<readonly Candidate[]> {
  const [name = '', ...before] = words.slice(0, -1);
  if (name === 'help') return before.length === 0 ? world.verbs : [];
  const verb = await world.load(name);
  return verb === undefined ? [] : ofVerb(name, verb, { before, current: words.at(-1)! }, world);
}

interface Typed {
  before: readonly string[];
  current: string;
}

async function ofVerb(name: string, verb: Verb, typed: Typed, world: World): Promise<Candidate[]> {
  const { before, current } = typed;
  const [, flag, value = ''] = /^(--[^=]+)=(.*)$/.exec(current) ?? [];
  if (flag !== undefined) {
    const found = await ofVerb(name, verb, { before: [...before, flag], current: value }, world);
    return valueAsked(verb, flag) === undefined ? [] : found.map((fits) => after(`${flag}=`, fits));
  }
  const { args, values } = read(verb, before);
  const asked = valueAsked(verb, before.at(-1));
  if (asked === undefined && current.startsWith('-')) return flagsOf(verb, before);
  const place = asked ?? placeOf(verb, args.length);
  const known = { name, verb, args, data: values.get('data'), current };
  const kinds = place === undefined ? [] : place.replaceAll(/[[\].]/g, '').split('|');
  return (await Promise.all(kinds.map((kind) => ofKind(kind, known, world)))).flat();
}

const after = (lead: string, { word, ...more }: Candidate): Candidate => ({ word: lead + word, ...more });

const plain = (words: readonly string[]): Candidate[] => words.map((word) => ({ word }));

interface Known {
  name: string;
  verb: Verb;
  args: readonly string[];
  data: string | undefined;
  current: string;
}

const DOCUMENTS = /\.(ya?ml|woofnb|wnb|ipynb|html?)$/;

async function ofKind(
  kind: string,
  { name, verb, args, data, current }: Known,
  world: World,
): Promise<Candidate[]> {
  const [first = ''] = args;
  switch (kind) {
    case 'FILE':
      return plain(world.files(current, DOCUMENTS));
    case 'HTML':
      return plain(world.files(current, /\.html?$/));
    case 'DIR':
    case 'FOLDER':
      return plain(world.files(current, /\/$/));
    case 'OUT':
    case 'PATH':
      return plain(world.files(current));
    case 'RUN': {
      const notebooks = name === 'why' ? world.files(current, /\.(woofnb|wnb)$/) : [];
      const last = { word: 'last', about: 'the newest run' };
      return [last, ...(await world.runs(data)), ...plain(notebooks)];
    }
    case 'STEP':
    case 'ID':
      return plain(await world.steps(first, data));
    case 'STAGE':
      return plain(await world.steps(args[1] ?? '', data));
    case 'ACTION':
    case 'SHELL':
      return actionsOf(name, verb);
    default:
      return [];
  }
}

/** The examples of a verb show all of its actions. What one with options does is more than its action. */
function actionsOf(name: string, { examples }: Verb): Candidate[] {
  return examples.flatMap(([command, about]) => {
    const [, word] = new RegExp(`\\bwoof ${name} ([a-z]+)\\b`).exec(command) ?? [];
    if (word === undefined) return [];
    return command.includes(' -') ? { word } : { word, about };
  });
}

function placeOf({ args }: Verb, index: number): string | undefined {
  const last = args.at(-1);
  return args[index] ?? (last?.includes('...') ? last : undefined);
}

function flagsOf({ options }: Verb, before: readonly string[]): Candidate[] {
  const left = Object.entries(options).filter(([name, { many }]) => many || !before.includes(`--${name}`));
  return [
    ...left.map(([name, { doc }]) => ({ word: `--${name}`, about: doc })),
    { word: '--help', about: 'show how to use this command' },
  ];
}

/** The placeholder of the value that the option before the cursor expects. */
function valueAsked({ options }: Verb, word: string | undefined): string | undefined {
  const found = Object.entries(options).find(
    ([name, { short }]) => word === `--${name}` || word === `-${short}`,
  );
  return found?.[1].value;
}

/** Arguments, and the values of options. */
function read(verb: Verb, before: readonly string[]): { args: string[]; values: Map<string, string> } {
  const args: string[] = [];
  const values = new Map<string, string>();
  for (const [at, word] of before.entries()) {
    const [, name, value] = /^--([^=]+)=(.*)$/.exec(word) ?? [];
    if (name !== undefined) values.set(name, value!);
    else if (at > 0 && valueAsked(verb, before[at - 1]) !== undefined)
      values.set(before[at - 1]!.slice(2), word);
    else if (!word.startsWith('-')) args.push(word);
  }
  return { args, values };
}
