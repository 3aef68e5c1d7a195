/** The languages whose cells a page can run, one row per language. */
import type { CellTask } from '@woof/net';
import { nodeNameIn } from '@woof/workbook-page';

/** Facts about the page that decide whether a cell runs in it. */
export interface PageFacts {
  /** The modules that Python has in the page. */
  modules: ReadonlySet<string>;
  /** The code of all cells of the cell's language. */
  script: string;
}

export interface LiveLanguage {
  /** Its word after `--live`, and in the page. */
  word: 'js' | 'python';
  /** Why this cell does not run there. */
  refuse(cell: CellTask, facts: PageFacts): string | undefined;
}

const LIVE: Readonly<Record<string, LiveLanguage>> = {
  javascript: { word: 'js', refuse: (cell, { script }) => nodeName(cell, script) },
  python: { word: 'python', refuse: (cell, { modules }) => foreignModule(cell, modules) },
};

/** Undefined: it does not run in a browser. */
export function liveLanguage({ language }: CellTask): LiveLanguage | undefined {
  return Object.hasOwn(LIVE, language) ? LIVE[language] : undefined;
}

/** The languages of the cells, in the order in which the page loads them. */
export function liveWords(cells: readonly CellTask[]): LiveLanguage['word'][] {
  const found = new Set(cells.map(liveLanguage));
  return Object.values(LIVE).flatMap((live) => (found.has(live) ? [live.word] : []));
}

function foreignModule({ body }: CellTask, modules: ReadonlySet<string>): string | undefined {
  for (const [, from, list] of body.matchAll(
    /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w., \t]+))/gm,
  )) {
    const names = from === undefined ? list!.split(',').map((part) => part.trim().split(/\s/)[0]!) : [from];
    const absent = names.map((name) => name.split('.')[0]!).find((name) => name !== '' && !modules.has(name));
    if (absent !== undefined) return `it imports ${absent}, which is not in the page`;
  }
  return undefined;
}

function nodeName({ body }: CellTask, script: string): string | undefined {
  const name = nodeNameIn(body);
  if (
    name === undefined ||
    new RegExp(String.raw`\b(?:const|let|var|function|class)\s+${name}\b`).test(script)
  )
    return undefined;
  return name === 'import'
    ? 'it imports a module, which a page cannot load'
    : `it uses ${name}, which browsers do not have`;
}
