/** Reads the options of a command line as getopt does: clusters of letters, long names, `--`. */
export interface OptionTable {
  /** Letters that take a value: the rest of their cluster, or the next word. */
  valued?: string;
  /** Letters that take the rest of their cluster and never the next word (`perl -i.bak`). */
  attached?: string;
  /** Letters that take no value. */
  plain?: string;
  /** Long names (with their dashes) that take a value as the next word, unless `=` gives it. */
  longValued?: readonly string[];
  /** Long names that take no value; `*`: every name that is not in `longValued`. */
  longPlain?: readonly string[] | '*';
  /** `-name` is one long option, as in `find` or `java`. */
  singleDashLong?: true;
}

export interface Option {
  /** `-c` or `--command`. */
  name: string;
  value?: string;
  /** Index of the word that contains the option. */
  at: number;
}

export interface ReadOptions {
  options: Option[];
  /** Index of the first word that is not an option. */
  end: number;
  /** Index of the word after the first unknown option. From there on, the end of the options is a guess. */
  unknownAt?: number;
}

export function readOptions(args: readonly string[], table: OptionTable, from = 0): ReadOptions {
  const options: Option[] = [];
  let unknownAt: number | undefined;
  let at = from;
  while (at < args.length) {
    const word = args[at]!;
    if (word === '--') return done(at + 1);
    if (!word.startsWith('-') || word === '-') break;
    const long = word.startsWith('--') || table.singleDashLong === true;
    const read = long ? readLong(args, at, table) : readCluster(args, at, table);
    options.push(...read.options);
    if (read.unknown) unknownAt ??= at + 1;
    at = read.next;
  }
  return done(at);

  function done(end: number): ReadOptions {
    return { options, end: Math.min(end, args.length), ...(unknownAt === undefined ? {} : { unknownAt }) };
  }
}

interface Read {
  options: Option[];
  next: number;
  unknown?: boolean;
}

function readLong(args: readonly string[], at: number, table: OptionTable): Read {
  const word = args[at]!;
  const equals = word.indexOf('=');
  if (equals > 0) {
    const name = wholeName(word.slice(0, equals), table);
    return { options: [{ name, value: word.slice(equals + 1), at }], next: at + 1 };
  }
  const name = wholeName(word, table);
  if (table.longValued?.includes(name)) {
    const value = args[at + 1];
    return { options: [{ name, at, ...(value === undefined ? {} : { value }) }], next: at + 2 };
  }
  const known = table.longPlain === '*' || table.longPlain?.includes(name);
  return { options: [{ name, at }], next: at + 1, unknown: !known };
}

/** getopt accepts any unambiguous prefix of a long name. */
function wholeName(name: string, { longValued = [], longPlain = [] }: OptionTable): string {
  const known = longPlain === '*' ? longValued : [...longValued, ...longPlain];
  if (name.length < 4 || !name.startsWith('--') || known.includes(name)) return name;
  const meant = known.filter((each) => each.startsWith(name));
  return meant.length === 1 ? meant[0]! : name;
}

function readCluster(args: readonly string[], at: number, table: OptionTable): Read {
  const word = args[at]!;
  const options: Option[] = [];
  let unknown = false;
  for (let index = 1; index < word.length; index += 1) {
    const letter = word[index]!;
    const rest = word.slice(index + 1);
    if (table.attached?.includes(letter))
      return { options: [...options, { name: `-${letter}`, value: rest, at }], next: at + 1, unknown };
    if (table.valued?.includes(letter)) {
      const value = rest === '' ? args[at + 1] : rest;
      options.push({ name: `-${letter}`, at, ...(value === undefined ? {} : { value }) });
      return { options, next: rest === '' ? at + 2 : at + 1, unknown };
    }
    options.push({ name: `-${letter}`, at });
    // `nice -10`, `head -5`: a number is a flag.
    if (!/\d/.test(letter) && !table.plain?.includes(letter)) unknown = true;
  }
  return { options, next: at + 1, unknown };
}
