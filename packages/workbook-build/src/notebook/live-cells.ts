/** Which cells run in the page, and why others do not. */
import { asks, type CellTask, type Step } from '@woof/net';
import { nodeNameIn } from '@woof/workbook-page';

export type Live = 'none' | 'js' | 'python';

/** Why no Python cell runs, nor what builds on one: of the page, not of the cell. */
export const WITHOUT_PYTHON = 'this page was built without Python (woof build --live python)';

export interface LiveRules {
  live: Live;
  /** The modules that Python has in the page. */
  modules: ReadonlySet<string>;
}

/** By cell, why it does not run in the page; cells that do are not named. In the order in which they run. */
export function storedCells(steps: readonly Step[], rules: LiveRules): Map<string, string> {
  const tasks = new Map(steps.map((step) => [step.name, taskOf(step)]));
  const script = [...tasks.values()]
    .filter(({ language }) => language === 'javascript')
    .map(({ body }) => body);
  const stored = new Map<string, string>();
  for (const step of steps) {
    const cell = taskOf(step);
    const why =
      step.idle === undefined
        ? (ownReason(cell, rules, script.join('\n')) ?? inherited(cell, tasks, stored))
        : 'it is disabled';
    if (why !== undefined) stored.set(cell.id, why);
  }
  return stored;
}

export function taskOf(step: Step): CellTask {
  return step.tasks[0]!.input as unknown as CellTask;
}

const LANGUAGES: Record<string, string> = {
  bash: 'Bash',
  r: 'R',
  python: 'Python',
  javascript: 'JavaScript',
};

function ownReason(cell: CellTask, { live, modules }: LiveRules, script: string): string | undefined {
  if (cell.type === 'data' || cell.type === 'viz')
    return live === 'none' ? 'this page was built without live cells' : undefined;
  const language = LANGUAGES[cell.language] ?? cell.language;
  if (live === 'none') return 'this page was built without live cells';
  if (cell.kernel !== undefined) return `it needs the kernel ${cell.kernel}, which browsers do not have`;
  if (cell.language !== 'javascript' && cell.language !== 'python')
    return `${language} does not run in a browser`;
  if (cell.language === 'python' && live !== 'python') return WITHOUT_PYTHON;
  if (cell.isolated) return 'it needs a separate process (sidefx=isolated)';
  const { allow_network, allow_shell, allow_files } = cell.declared;
  if (allow_network) return 'it uses the network (sidefx=net), which a page cannot do';
  if (allow_shell) return 'it starts programs (sidefx=shell), which a page cannot do';
  if (allow_files) return 'it uses files (sidefx=fs), which a page does not have';
  return cell.language === 'python' ? foreignModule(cell, modules) : nodeName(cell, script);
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

/** What a cell builds on must be there: in its own session, or among those that it asks for values. */
function inherited(
  cell: CellTask,
  tasks: ReadonlyMap<string, CellTask>,
  stored: ReadonlyMap<string, string>,
): string | undefined {
  const missing = cell.needs.find((id) => {
    const need = tasks.get(id)!;
    if (!stored.has(id) || need.type === 'data' || need.type === 'viz') return false;
    if (cell.type === 'viz') return true;
    return (need.session === cell.session && !need.isolated) || asks(cell, need);
  });
  if (missing === undefined) return undefined;
  if (stored.get(missing) === WITHOUT_PYTHON) return WITHOUT_PYTHON;
  return `it depends on ${missing}, which does not run in the page`;
}
