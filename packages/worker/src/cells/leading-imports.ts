/**
 * The imports at the start of a Python cell. An import does not read a name that another cell set, and the code after
 * it uses the names that it binds.
 *
 * Only what is certainly an import counts, up to the first other statement; all words of the rest count. A docstring at
 * the start of the cell does not read a name either, but its words stay with the rest.
 */
export interface LeadingImports {
  /** The names that they bind. */
  bound: ReadonlySet<string>;
  /** The modules that they load, by their full names. */
  modules: readonly string[];
  /** The other text. */
  rest: string;
}

const NAME = '[A-Za-z_]\\w*';
const PATH = `${NAME}(?:\\.${NAME})*`;
const listOf = (item: string) => `${item}(?:[ \\t]*,[ \\t]*${item})*`;
const PATHS = listOf(`${PATH}(?:[ \\t]+as[ \\t]+${NAME})?`);
const NAMES = listOf(`${NAME}(?:[ \\t]+as[ \\t]+${NAME})?`);
/** Empty lines and comments, the statement, and its terminator. */
const STATEMENT = new RegExp(
  `(?:[ \\t]*(?:#[^\\n]*)?\\n)*(?:import[ \\t]+(?<paths>${PATHS})|from[ \\t]+(?<from>${PATH})[ \\t]+import[ \\t]+` +
    `(?:(?<names>${NAMES})|\\((?<listed>[\\w\\s,]*)\\)))[ \\t]*(?:;[ \\t]*|(?:#[^\\n]*)?(?:\\n|$))`,
  'y',
);

const long = (quotes: string) => `${quotes}(?:[^\\\\]|\\\\[\\s\\S])*?${quotes}`;
const short = (quote: string) => `${quote}(?!${quote}${quote})(?:[^${quote}\\\\\\n]|\\\\.)*${quote}`;
const STRING = [long("'''"), long('"""'), short("'"), short('"')].join('|');
/** A standalone string, in any quotes and not formatted, and the end of its line. */
const DOCUMENTATION = new RegExp(
  `(?:[ \\t]*(?:#[^\\n]*)?\\n)*[rRuU]?(?:${STRING})[ \\t]*(?:#[^\\n]*)?(?:\\n|$)`,
  'y',
);

export function leadingImports(text: string): LeadingImports {
  const bound = new Set<string>();
  const modules: string[] = [];
  const documentation = documentationOf(text);
  let at = documentation.length;
  for (let found = importAt(text, at); found !== undefined; found = importAt(text, at)) {
    at += found.length;
    for (const name of found.bound) bound.add(name);
    modules.push(...found.modules);
  }
  return { bound, modules, rest: documentation + text.slice(at) };
}

/** The docstring at the start, with the empty lines and comments before it and the end of its line. */
export function documentationOf(text: string): string {
  return matchAt(DOCUMENTATION, text, 0)?.[0] ?? '';
}

/** What is certainly an import statement, with the empty lines and comments before it and the end of its line. */
export function importAt(text: string, at: number): ImportStatement | undefined {
  const found = matchAt(STATEMENT, text, at);
  if (found === null) return undefined;
  const { paths, from, names, listed } = found.groups!;
  const items = itemsOf(paths ?? names ?? listed ?? '');
  const bound = items.map(({ path, alias }) => alias ?? path.replace(/\..*/, ''));
  return { length: found[0].length, bound, modules: modulesOf(items, from) };
}

export interface ImportStatement {
  length: number;
  bound: string[];
  modules: string[];
}

/** Anything that looks like an import, in a function or in quotes too. */
const MENTION = /(?:\bfrom\s+([\w.]+)\s+)?\bimport\s+(?:\(([\w.,\s]*)|([\w., \t]*))/g;

/** The modules that the text may load at some time. */
export function modulesIn(text: string): string[] {
  const found = text.replaceAll('\\\n', ' ').matchAll(MENTION);
  return [...found].flatMap(([, from, listed, names]) => modulesOf(itemsOf(listed ?? names ?? ''), from));
}

function modulesOf(items: readonly { path: string }[], from: string | undefined): string[] {
  if (from === undefined) return items.map(({ path }) => path);
  return [...items.map(({ path }) => `${from}.${path}`), from];
}

function matchAt(form: RegExp, text: string, at: number): RegExpExecArray | null {
  form.lastIndex = at;
  return form.exec(text);
}

function itemsOf(list: string): { path: string; alias?: string }[] {
  const items = list.split(',').map((item) => item.trim().split(/\s+as\s+/));
  return items.flatMap(([path, alias]) => (path ? [{ path, ...(alias && { alias }) }] : []));
}
