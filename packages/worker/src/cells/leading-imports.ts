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
  const documentation = matchAt(DOCUMENTATION, text, 0)?.[0] ?? '';
  let at = documentation.length;
  for (let found = matchAt(STATEMENT, text, at); found !== null; found = matchAt(STATEMENT, text, at)) {
    at += found[0].length;
    const { paths, from, names, listed } = found.groups!;
    for (const { path, alias } of itemsOf(paths ?? names ?? listed ?? '')) {
      bound.add(alias ?? path.replace(/\..*/, ''));
      modules.push(from === undefined ? path : `${from}.${path}`);
    }
    if (from !== undefined) modules.push(from);
  }
  return { bound, modules, rest: documentation + text.slice(at) };
}

function matchAt(form: RegExp, text: string, at: number): RegExpExecArray | null {
  form.lastIndex = at;
  return form.exec(text);
}

function itemsOf(list: string): { path: string; alias?: string }[] {
  const items = list.split(',').map((item) => item.trim().split(/\s+as\s+/));
  return items.flatMap(([path, alias]) => (path ? [{ path, ...(alias && { alias }) }] : []));
}
