/**
 * The imports that a Python cell begins with. An import reads no name that another cell set, and what follows it in the
 * cell uses the names that it binds.
 *
 * Only what is surely an import counts, up to the first statement that is none: the rest is left to its words.
 */
export interface LeadingImports {
  /** The names that they bind. */
  bound: ReadonlySet<string>;
  /** The modules that they load, by their full names. */
  modules: readonly string[];
  /** The text after them. */
  rest: string;
}

const NAME = '[A-Za-z_]\\w*';
const PATH = `${NAME}(?:\\.${NAME})*`;
const listOf = (item: string) => `${item}(?:[ \\t]*,[ \\t]*${item})*`;
const PATHS = listOf(`${PATH}(?:[ \\t]+as[ \\t]+${NAME})?`);
const NAMES = listOf(`${NAME}(?:[ \\t]+as[ \\t]+${NAME})?`);
/** Empty lines and comments, the statement, and what ends it. */
const STATEMENT = new RegExp(
  `(?:[ \\t]*(?:#[^\\n]*)?\\n)*(?:import[ \\t]+(?<paths>${PATHS})|from[ \\t]+(?<from>${PATH})[ \\t]+import[ \\t]+` +
    `(?:(?<names>${NAMES})|\\((?<listed>[\\w\\s,]*)\\)))[ \\t]*(?:;[ \\t]*|(?:#[^\\n]*)?(?:\\n|$))`,
  'y',
);

export function leadingImports(text: string): LeadingImports {
  const bound = new Set<string>();
  const modules: string[] = [];
  let at = 0;
  for (let found = statementAt(text, at); found !== null; found = statementAt(text, at)) {
    at += found[0].length;
    const { paths, from, names, listed } = found.groups!;
    for (const { path, alias } of itemsOf(paths ?? names ?? listed ?? '')) {
      bound.add(alias ?? path.replace(/\..*/, ''));
      modules.push(from === undefined ? path : `${from}.${path}`);
    }
    if (from !== undefined) modules.push(from);
  }
  return { bound, modules, rest: text.slice(at) };
}

function statementAt(text: string, at: number): RegExpExecArray | null {
  STATEMENT.lastIndex = at;
  return STATEMENT.exec(text);
}

function itemsOf(list: string): { path: string; alias?: string }[] {
  const items = list.split(',').map((item) => item.trim().split(/\s+as\s+/));
  return items.flatMap(([path, alias]) => (path ? [{ path, ...(alias && { alias }) }] : []));
}
