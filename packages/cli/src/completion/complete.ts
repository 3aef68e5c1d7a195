/**
 * Which words fit where the cursor is, from what verbs declare: their options, and the placeholders of their arguments
 * and values. What only the machine knows (files, runs, steps) comes from `world`.
 */
import type { Verb } from '../verb.ts';

export interface World {
  verbs: readonly string[];
  load(verb: string): Promise<Verb | undefined>;
  /** Files and folders that begin so, of these endings; all of them without. */
  files(prefix: string, endings?: RegExp): string[];
  runs(data: string | undefined): Promise<string[]>;
  /** Steps or cells of a run or of a file. */
  steps(word: string, data: string | undefined): Promise<string[]>;
}

/** `words` follow the program's name; the last one is being written. */
export async function complete(words: readonly string[], world: World): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const [name = '', ...rest] = words.slice(0, -1);
  const found = words.length <= 1 ? [...world.verbs, 'help', '--help', '--version'] : await inside();
  return [...new Set(found)].filter((word) => word.startsWith(current) && !UNPRINTABLE.test(word));

  async function inside(): Promise<string[]> {
    if (name === 'help') return rest.length === 0 ? [...world.verbs] : [];
    const verb = await world.load(name);
    return verb === undefined ? [] : ofVerb(name, verb, { before: rest, current }, world);
  }
}

/** Such a word would be more than one line, or steer the terminal. */
const UNPRINTABLE = /\p{Cc}/u;

interface Typed {
  before: readonly string[];
  current: string;
}

async function ofVerb(name: string, verb: Verb, typed: Typed, world: World): Promise<string[]> {
  const { args, values } = read(verb, typed.before);
  const asked = valueAsked(verb, typed.before.at(-1));
  if (asked === undefined && typed.current.startsWith('-')) return flagsOf(verb, typed.before);
  const place = asked ?? placeOf(verb, args.length);
  const known = { name, verb, args, data: values.get('data'), current: typed.current };
  const kinds = place === undefined ? [] : place.replaceAll(/[[\].]/g, '').split('|');
  return (await Promise.all(kinds.map((kind) => ofKind(kind, known, world)))).flat();
}

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
): Promise<string[]> {
  const [first = ''] = args;
  switch (kind) {
    case 'FILE':
      return world.files(current, DOCUMENTS);
    case 'HTML':
      return world.files(current, /\.html?$/);
    case 'DIR':
    case 'FOLDER':
      return world.files(current, /\/$/);
    case 'OUT':
    case 'PATH':
      return world.files(current);
    case 'RUN': {
      const notebooks = name === 'why' ? world.files(current, /\.(woofnb|wnb)$/) : [];
      return ['last', ...(await world.runs(data)), ...notebooks];
    }
    case 'STEP':
    case 'ID':
      return world.steps(first, data);
    case 'STAGE':
      return world.steps(args[1] ?? '', data);
    case 'ACTION':
    case 'SHELL':
      return actionsOf(name, verb);
    default:
      return [];
  }
}

/** The examples of a verb show all of its actions. */
function actionsOf(name: string, { examples }: Verb): string[] {
  return examples.flatMap(([command]) => new RegExp(`\\bwoof ${name} ([a-z]+)\\b`).exec(command)?.[1] ?? []);
}

function placeOf({ args }: Verb, index: number): string | undefined {
  const last = args.at(-1);
  return args[index] ?? (last?.includes('...') ? last : undefined);
}

function flagsOf({ options }: Verb, before: readonly string[]): string[] {
  const left = Object.entries(options).filter(([name, { many }]) => many || !before.includes(`--${name}`));
  return [...left.map(([name]) => `--${name}`), '--help'];
}

/** The placeholder of the value that the option before the cursor waits for. */
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
