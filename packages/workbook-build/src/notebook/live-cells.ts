/** Which cells run in the page, and why others do not. */
import { asks, type CellTask, languageTitle, type Step, traitsOf } from '@woof/net';
import { type LiveLanguage, liveLanguage } from './live-languages.ts';

export type Live = 'none' | LiveLanguage['word'];

/** What `--live` includes. */
const INCLUDED: Record<Live, readonly LiveLanguage['word'][]> = {
  none: [],
  js: ['js'],
  python: ['js', 'python'],
};

/** Why no Python cell runs, nor any cell that depends on one: a reason of the page, not of the cell. */
export const WITHOUT_PYTHON = 'this page was built without Python (woof build --live python)';

export interface LiveRules {
  live: Live;
  /** The modules that Python has in the page. */
  modules: ReadonlySet<string>;
}

/** By cell, why it does not run in the page; cells that do are left out. In the order in which they run. */
export function storedCells(steps: readonly Step[], rules: LiveRules): Map<string, string> {
  const tasks = new Map(steps.map((step) => [step.name, taskOf(step)]));
  const scripts = scriptsOf(tasks.values());
  const stored = new Map<string, string>();
  for (const step of steps) {
    const cell = taskOf(step);
    const why =
      step.idle === undefined
        ? (ownReason(cell, rules, scripts.get(cell.language)!) ?? inherited(cell, tasks, stored))
        : 'it is disabled';
    if (why !== undefined) stored.set(cell.id, why);
  }
  return stored;
}

/** By language, the code of all its cells. */
function scriptsOf(cells: Iterable<CellTask>): Map<string, string> {
  const scripts = new Map<string, string>();
  for (const { language, body } of cells) scripts.set(language, `${scripts.get(language) ?? ''}${body}\n`);
  return scripts;
}

export function taskOf(step: Step): CellTask {
  return step.tasks[0]!.input as unknown as CellTask;
}

function ownReason(cell: CellTask, { live, modules }: LiveRules, script: string): string | undefined {
  if (live === 'none') return 'this page was built without live cells';
  if (!traitsOf(cell).isCode) return undefined;
  if (cell.kernel !== undefined) return `it needs the kernel ${cell.kernel}, which browsers do not have`;
  const language = liveLanguage(cell);
  if (language === undefined) return `${languageTitle(cell.language)} does not run in a browser`;
  if (!INCLUDED[live].includes(language.word)) return WITHOUT_PYTHON;
  if (cell.isolated) return 'it needs a separate process (sidefx=isolated)';
  const { allow_network, allow_shell, allow_files } = cell.declared;
  if (allow_network) return 'it uses the network (sidefx=net), which a page cannot do';
  if (allow_shell) return 'it starts programs (sidefx=shell), which a page cannot do';
  if (allow_files) return 'it uses files (sidefx=fs), which a page does not have';
  return language.refuse(cell, { modules, script });
}

/**
 * The dependencies of a cell must be available: in its own session, or among the cells that it requests values from.
 */
function inherited(
  cell: CellTask,
  tasks: ReadonlyMap<string, CellTask>,
  stored: ReadonlyMap<string, string>,
): string | undefined {
  const missing = cell.needs.find((id) => {
    const need = tasks.get(id)!;
    if (!stored.has(id) || !traitsOf(need).isCode) return false;
    if (traitsOf(cell).isChart) return true;
    return (need.session === cell.session && !need.isolated) || asks(cell, need);
  });
  if (missing === undefined) return undefined;
  if (stored.get(missing) === WITHOUT_PYTHON) return WITHOUT_PYTHON;
  return `it depends on ${missing}, which does not run in the page`;
}
