/**
 * A notebook to a plan: each cell that runs is a step that joins all cells it waits for; a failure skips its
 * dependents.
 *
 * Owns: which cells run, what each depends on, what its kernel may do. Does not own: whether the notebook is valid
 * (lint), how a cell runs (the worker).
 * One cell runs at a time, in the order of `graphOfNotebook`, so that every run is the same.
 */
import {
  type CellTask,
  type Json,
  type JsonObject,
  type Permissions,
  type Plan,
  type PolicyRule,
  type Step,
  traitsOf,
} from '@woof/net';
import type { Cell } from './cell.ts';
import { formOf } from './cell-forms.ts';
import { kernelOf, languageOf } from './cell-language.ts';
import { graphOfNotebook } from './graph.ts';
import { effectsOf } from './lint-effects.ts';
import type { Notebook } from './notebook.ts';
import { memoryOf, sessionOf, sharesKernel } from './sessions.ts';

export interface CompileOptions {
  /** Only these cells and, unless `alone`, their dependencies. */
  only?: readonly string[];
  alone?: boolean;
}

export function compileNotebook(notebook: Notebook, options: CompileOptions = {}): Plan {
  const { header } = notebook;
  const { order, edges } = graphOfNotebook(notebook);
  const cells = order.map((id) => notebook.cell(id)!);
  const sources = sourcesOf(edges);
  const builds = ancestorsOf(notebook, cells, sources);
  const active = activeCells(cells, builds, options);
  const running = cells.filter((cell) => active.has(cell.id));
  const sessions = sessionPermissions(notebook, running);
  const steps = cells.map((cell, rank): Step => {
    const needs = builds.get(cell.id)!.filter((id) => active.has(id));
    const task = cellTask(notebook, cell, needs, sessions);
    return stepOf(notebook, cell, task, { rank, isActive: active.has(cell.id) });
  });
  const tasks = new Map(steps.map((step) => [step.name, step.tasks[0]!.input as unknown as CellTask]));
  const byName = new Map(steps.map((step) => [step.name, step]));
  const waits = new Set<string>();
  for (const step of steps) {
    if (!active.has(step.name)) continue;
    for (const from of directNeeds(notebook, tasks.get(step.name)!, tasks, sources)) {
      byName.get(from)!.next.arcs.push({ step: step.name, at: step.at });
      waits.add(step.name);
    }
  }
  return {
    kind: 'notebook',
    name: header.name ?? 'notebook',
    ...(header.path === undefined ? {} : { path: header.path }),
    entry: steps.map(({ name }) => name).filter((name) => active.has(name) && !waits.has(name)),
    failure: 'skip',
    concurrency: 1,
    workload: header.parameters,
    keychain: [],
    steps,
    blocks: {},
    where: {},
  };
}

/** By cell, the cells that it waits for directly. */
type Sources = ReadonlyMap<string, readonly string[]>;

function sourcesOf(edges: ReturnType<typeof graphOfNotebook>['edges']): Sources {
  const sources = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const known = sources.get(to);
    if (known) known.push(from);
    else sources.set(to, [from]);
  }
  return sources;
}

/** By cell, the ids of its dependencies, in the order in which they run. */
function ancestorsOf(notebook: Notebook, cells: readonly Cell[], sources: Sources): Map<string, string[]> {
  if (notebook.header.order === 'linear') return earlierOf(notebook, cells);
  const rank = new Map(cells.map(({ id }, index) => [id, index]));
  const byRank = (a: string, b: string) => rank.get(a)! - rank.get(b)!;
  return new Map(cells.map(({ id }) => [id, [...reach(id, sources)].sort(byRank)]));
}

function reach(id: string, sources: Sources): Set<string> {
  const found = new Set<string>();
  const queue = [id];
  for (const next of queue) {
    for (const from of sources.get(next) ?? []) {
      if (found.has(from)) continue;
      found.add(from);
      queue.push(from);
    }
  }
  return found;
}

/**
 * All earlier data cells and cells that it shares state with. Of the others, those that one of these names in deps, and
 * their dependencies.
 */
function earlierOf(notebook: Notebook, cells: readonly Cell[]): Map<string, string[]> {
  const all = cells.map((cell) => {
    const { id, type } = cell;
    const { isolated } = effectsOf(cell);
    return { id, type, isolated, session: stateOf({ id, isolated, session: sessionOf(notebook, cell) }) };
  });
  const sessions = new Map(all.map(({ id, session }) => [id, session]));
  const needs = new Map<string, string[]>();
  const foreign = new Map<string, Set<string>>();
  for (const [index, { id, type, session }] of all.entries()) {
    const named = foreign.get(session) ?? new Set();
    foreign.set(session, named);
    const others = cells[index]!.deps.filter((dep) => sessions.get(dep) !== session && !named.has(dep));
    for (const dep of others) for (const need of withNeeds(dep, needs)) named.add(need);
    const isNeed = (other: (typeof all)[number]) =>
      traitsOf(other).isValue || other.session === session || (named.has(other.id) && isNotChart(other));
    // A chart may show values of any language. Other charts have no values, and isolated cells have no kernel to read
    // from.
    const mayShow = (other: (typeof all)[number]) => isNotChart(other) && (!other.isolated || isNeed(other));
    const earlier = all.slice(0, index).filter(traitsOf({ type }).isChart ? mayShow : isNeed);
    needs.set(
      id,
      earlier.map((other) => other.id),
    );
  }
  return needs;
}

/** Empty if the cell is not above. */
function withNeeds(id: string, needs: ReadonlyMap<string, string[]>): string[] {
  const known = needs.get(id);
  return known ? [id, ...known] : [];
}

const isNotChart = (cell: { type: string }) => !traitsOf(cell).isChart;

const isDisabled = (cell: Cell) => cell.get('disabled') === 'true';

/** The cells that run: requested, and not disabled. Dependents of a disabled cell run without it. */
function activeCells(
  cells: readonly Cell[],
  builds: ReadonlyMap<string, string[]>,
  options: CompileOptions,
): Set<string> {
  const asked = new Set(options.only ?? cells.map(({ id }) => id));
  if (!options.alone)
    for (const id of [...asked]) for (const ancestor of builds.get(id) ?? []) asked.add(ancestor);
  const idle = new Set(cells.filter(isDisabled).map(({ id }) => id));
  const runs = ({ id }: Cell) => asked.has(id) && !idle.has(id);
  return new Set(cells.filter(runs).map(({ id }) => id));
}

/** The nearest dependencies of a cell: arcs from these are enough to wait for all of them. */
function directNeeds(
  notebook: Notebook,
  { id, needs }: CellTask,
  tasks: ReadonlyMap<string, CellTask>,
  sources: Sources,
): string[] {
  if (notebook.header.order === 'linear') return latestOfSessions(needs, tasks);
  const nearest = nearestOf(id, new Set(needs), sources);
  const indirect = new Set([...nearest].flatMap((near) => tasks.get(near)!.needs));
  return needs.filter((need) => nearest.has(need) && !indirect.has(need));
}

/** Passes through cells that do not run, to those that do. */
function nearestOf(id: string, needs: ReadonlySet<string>, sources: Sources): Set<string> {
  const nearest = new Set<string>();
  const seen = new Set([id]);
  const queue = [id];
  for (const next of queue) {
    for (const from of sources.get(next) ?? []) {
      if (seen.has(from)) continue;
      seen.add(from);
      if (needs.has(from)) nearest.add(from);
      else queue.push(from);
    }
  }
  return nearest;
}

/** In linear order the latest cell of a session has waited for the earlier ones, and for all data before it. */
function latestOfSessions(needs: readonly string[], tasks: ReadonlyMap<string, CellTask>): string[] {
  const latest = new Map<string, string>();
  for (const id of needs.toReversed()) {
    const task = tasks.get(id)!;
    const session = stateOf(task);
    if (latest.has(session) || (traitsOf(task).isValue && latest.size > 0)) continue;
    latest.set(session, id);
  }
  return [...latest.values()];
}

function cellTask(notebook: Notebook, cell: Cell, needs: string[], sessions: SessionPermissions): CellTask {
  const { header } = notebook;
  const { isolated } = effectsOf(cell);
  const session = sessionOf(notebook, cell);
  const timeout = Number(cell.get('timeout') ?? header.defaults.timeout_sec ?? 0);
  const shares = sharesKernel(cell);
  const memory = memoryOf(notebook, cell);
  const declared = declaredBy(cell);
  const allowed = asPermissions(header.ioPolicy);
  return {
    id: cell.id,
    type: cell.type as CellTask['type'],
    language: languageOf(notebook, cell),
    ...(kernelOf(cell) === undefined ? {} : { kernel: kernelOf(cell)! }),
    session,
    isolated,
    body: cell.body.replaceAll('\r\n', '\n'),
    ...(traitsOf(cell).isValue ? { value: formOf(cell).value!(cell.body) ?? null } : {}),
    declared,
    allowed,
    permissions: (shares ? sessions.get(session) : undefined) ?? declared,
    ...(timeout > 0 ? { timeoutSec: timeout } : {}),
    ...(memory > 0 ? { memoryMb: memory } : {}),
    needs,
    env: (header.data.env ?? null) as Json,
    cache: header.cache === 'content-hash',
  };
}

interface Place {
  rank: number;
  isActive: boolean;
}

function stepOf(notebook: Notebook, cell: Cell, task: CellTask, { rank, isActive }: Place): Step {
  const [line, column] = notebook.source.position(cell.start);
  const rules = retryRules(Number(cell.get('retries') ?? 0));
  return {
    name: cell.id,
    ...(cell.get('name') ? { desc: cell.get('name')! } : {}),
    at: [line, column],
    join: 'all',
    rank,
    ...(isActive ? {} : { idle: isDisabled(cell) ? 'disabled' : 'not selected' }),
    admit: [],
    tasks: [
      {
        label: cell.id,
        kind: 'cell',
        at: [line, column],
        input: task as unknown as JsonObject,
        spec: {},
        ...(rules ? { rules } : {}),
      },
    ],
    next: { mode: 'inclusive', arcs: [] },
  };
}

/** For transient failures only; the kernel says which ones are. */
function retryRules(retries: number): PolicyRule[] | undefined {
  if (!(retries > 0)) return undefined;
  return [
    {
      when: "{{ outcome.status == 'error' and outcome.error.retryable }}",
      then: { do: 'retry', attempts: retries + 1 },
    },
    { when: "{{ outcome.status == 'error' }}", then: { do: 'fail' } },
    { then: { do: 'continue' } },
  ];
}

/** By session, what its cells declare together. */
type SessionPermissions = ReadonlyMap<string, Permissions>;

function sessionPermissions(notebook: Notebook, cells: readonly Cell[]): Map<string, Permissions> {
  const sessions = new Map<string, Permissions>();
  for (const cell of cells.filter(sharesKernel)) {
    const session = sessionOf(notebook, cell);
    const before = sessions.get(session);
    const own = declaredBy(cell);
    sessions.set(session, before ? either(before, own) : own);
  }
  return sessions;
}

/** The session whose state a cell shares; an isolated cell shares its state with no other. */
function stateOf({ id, session, isolated }: Pick<CellTask, 'id' | 'session' | 'isolated'>): string {
  return isolated ? `${session} ${id}` : session;
}

function declaredBy(cell: Cell): Permissions {
  const { fs, net, shell } = effectsOf(cell);
  return { allow_files: fs, allow_network: net, allow_shell: shell };
}

function asPermissions({
  allow_files,
  allow_network,
  allow_shell,
}: Permissions | Notebook['header']['ioPolicy']): Permissions {
  return { allow_files, allow_network, allow_shell };
}

function either(a: Permissions, b: Permissions): Permissions {
  return {
    allow_files: a.allow_files || b.allow_files,
    allow_network: a.allow_network || b.allow_network,
    allow_shell: a.allow_shell || b.allow_shell,
  };
}

/** Ids of the test cells, for `woof test`. */
export function testCells(notebook: Notebook): string[] {
  return notebook.cells.filter((cell) => traitsOf(cell).isTest).map(({ id }) => id);
}

/** Ids that `--cell` accepts: those of cells that are steps. */
export function stepCellIds(notebook: Notebook): string[] {
  return graphOfNotebook(notebook).order;
}
