/** The statements of Python that import something. */
import { split } from './python-statements.ts';
import type { PythonToken } from './python-tokens.ts';

export interface ImportedModule {
  /** Its full name. */
  path: string;
  /** The last word of it. */
  part: string;
}

/** What an import binds and loads; undefined where the statement is none, or where that is not known. */
export function importOf(
  tokens: readonly PythonToken[],
): { names: string[]; modules: ImportedModule[] } | undefined {
  const lead = tokens[0]?.kind === 'name' ? tokens[0].text : '';
  if (lead === 'import') return importItems(tokens.slice(1));
  const at = tokens.findIndex(({ kind, text }) => kind === 'name' && text === 'import');
  if (lead !== 'from' || at < 2) return undefined;
  const from = textOf(tokens.slice(1, at));
  const listed = tokens.slice(at + 1).filter(({ text }) => text !== '(' && text !== ')');
  const found = from.startsWith('.') ? undefined : importItems(listed);
  if (!found) return undefined;
  const inside = found.modules.map(({ path, part }) => ({ path: `${from}.${path}`, part }));
  return { names: found.names, modules: [...inside, { path: from, part: from.replace(/.*\./, '') }] };
}

const PATH = /^[\p{L}_][\p{L}\p{M}\p{N}_.]*$/u;

function importItems(
  tokens: readonly PythonToken[],
): { names: string[]; modules: ImportedModule[] } | undefined {
  const names: string[] = [];
  const modules: ImportedModule[] = [];
  for (const item of split(tokens, ',')) {
    const as = item.findIndex(({ text }) => text === 'as');
    const path = textOf(as === -1 ? item : item.slice(0, as));
    if (!PATH.test(path) || (as !== -1 && as !== item.length - 2)) return undefined;
    names.push(as === -1 ? path.replace(/\..*/, '') : item.at(-1)!.text);
    modules.push({ path, part: path.replace(/.*\./, '') });
  }
  return { names, modules };
}

const textOf = (tokens: readonly PythonToken[]) => tokens.map(({ text }) => text).join('');
