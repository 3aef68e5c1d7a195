/** Which execution RUN refers to: an id, a unique prefix or suffix of one, or `last`. */
import { realpathSync, statSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { type ExecutionRow, everyExecution, type ReadStore } from '@woof/stores';
import { NoSuchRun, UserError } from './user-error.ts';

const LISTED = 8;

export async function selectRun(store: ReadStore, word: string): Promise<ExecutionRow> {
  if (word === 'last') {
    const [newest] = await store.executions({ roots: true, limit: 1 });
    return newest ?? fail('there is no run yet', 'start one with: woof run FILE');
  }
  const exact = await store.execution(word);
  if (exact) return exact;
  const all = newList();
  const found = newList();
  const roots = newList();
  const ofFile = newList();
  const file = isFile(word) ? realpathSync(word) : undefined;
  for await (const row of everyExecution(store)) {
    add(all, row);
    if (file !== undefined && isRunOf(file, row)) add(ofFile, row);
    if (!row.execution_id.startsWith(word) && !row.execution_id.endsWith(word)) continue;
    add(found, row);
    // The id of a nested run begins with its caller's, so a prefix means the caller.
    if (row.parent === undefined) add(roots, row);
  }
  const candidates = roots.count > 0 ? roots : found;
  if (candidates.count === 1) return candidates.first[0]!;
  if (candidates.count === 0) throw file === undefined ? noRun(word, all) : aFile(word, ofFile);
  return fail(`"${word}" matches ${candidates.count} runs`, `choose one:${listed(candidates)}`);
}

function noRun(word: string, all: List): NoSuchRun {
  return new NoSuchRun(`there is no run "${word}"`, `known:${listed(all)}`, 2);
}

function aFile(word: string, runs: List): NoSuchRun {
  const none = 'it has no runs here; to list all runs: woof runs';
  const fix = runs.count > 0 ? `choose one of its runs:${listed(runs)}` : none;
  return new NoSuchRun(`"${word}" is a file, not a run`, fix, 2);
}

/** A server knows only the name of a file. */
function isRunOf(file: string, row: ExecutionRow): boolean {
  if (row.file === undefined) return false;
  return isAbsolute(row.file) ? row.file === file : basename(row.file) === basename(file);
}

const isFile = (word: string): boolean => statSync(word, { throwIfNoEntry: false })?.isFile() ?? false;

/** How many rows there are, and those of them that are shown. */
interface List {
  first: ExecutionRow[];
  count: number;
}

const newList = (): List => ({ first: [], count: 0 });

function add(list: List, row: ExecutionRow): void {
  if (++list.count <= LISTED) list.first.push(row);
}

function listed({ first, count }: List): string {
  const shown = first.map((row) => `\n    ${row.execution_id}  ${row.status}  ${row.name}`);
  const more = count > LISTED ? `\n    and ${count - LISTED} more: woof runs` : '';
  return count === 0 ? ' none; start one with: woof run FILE' : shown.join('') + more;
}

function fail(message: string, fix: string): never {
  throw new UserError(message, fix, 2);
}
