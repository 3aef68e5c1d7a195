/** One cell to run, and what a kernel needs to know about it. */
import type { CellError, ChartRequest, Kernel, KernelSpec } from '@woof/kernels';
import { cellDenials } from '@woof/kernels/cell-denials';
import { type Assignment, type CellTask, isObject, type Json, type Permissions, type World } from '@woof/net';
import type { FilledChart } from './chart-cell.ts';
import { cellsOf } from './plan-cells.ts';

/** The part of a run that the keys and kernels of its cells depend on. */
export type RunSetting = Pick<Assignment, 'execution_id' | 'plan' | 'granted' | 'source'> & {
  world: Pick<World, 'workload' | 'steps'>;
};

export interface CellCall {
  cell: CellTask;
  assignment: Assignment;
  signal: AbortSignal;
  /** Must resolve before an effect starts. False: the job no longer belongs to this worker. */
  durable(): Promise<boolean>;
  log(stream: 'stdout' | 'stderr', text: string): void;
}

/** The machine's settings that every kernel receives. */
export interface KernelSetting {
  sandbox: boolean;
  hidden: string[];
}

export function kernelSpec(
  { cell, assignment }: { cell: CellTask; assignment: RunSetting },
  { sandbox, hidden }: KernelSetting,
): KernelSpec {
  const spec: KernelSpec = {
    language: cell.language,
    workdir: String(assignment.source.folder ?? '.'),
    policy: permitted(cell.declared, cell, assignment),
    shared: permitted(cell.permissions, cell, assignment),
    denials: cellDenials(allowedBy(cell, assignment)),
    parameters: assignment.world.workload,
    sandbox,
    hidden,
  };
  if (cell.kernel !== undefined) spec.kernel = cell.kernel;
  const memoryMb = cell.memoryMb ?? (sharesLimited(cell, assignment) ? Infinity : undefined);
  if (memoryMb !== undefined) spec.memoryMb = memoryMb;
  return { ...spec, ...environmentOf(cell.env) };
}

/** True if another cell of its kernel has a memory limit. */
function sharesLimited({ session, isolated }: CellTask, { plan }: RunSetting): boolean {
  if (isolated) return false;
  const others = [...cellsOf(plan).values()].filter((other) => other.session === session && !other.isolated);
  return others.some(({ memoryMb }) => memoryMb !== undefined);
}

/** The part of the header's `env` that a kernel starts with. */
export function environmentOf(env: Json): Pick<KernelSpec, 'requirements' | 'container'> {
  const { requirements, container } = isObject(env) ? env : {};
  if (isObject(container)) return { container: String(container.image) };
  return Array.isArray(requirements) ? { requirements: requirements.map(String) } : {};
}

export function runOf(
  { cell, assignment, signal }: CellCall,
  replaced: readonly string[] = [],
): Parameters<Kernel['run']>[0] {
  const run = {
    id: cell.id,
    code: cell.body,
    declared: permitted(cell.declared, cell, assignment),
    track: cell.cache,
    replaced,
    signal,
  };
  return cell.timeoutSec === undefined ? run : { ...run, timeoutMs: cell.timeoutSec * 1000 };
}

export function chartRequest(
  { cell, assignment, signal }: CellCall,
  { chart, spec }: FilledChart,
  sandbox: boolean,
): Omit<ChartRequest, 'renderer'> {
  return {
    spec,
    kind: chart.kind,
    workdir: String(assignment.source.folder ?? '.'),
    sandbox,
    signal,
    ...(cell.timeoutSec === undefined ? {} : { timeoutMs: cell.timeoutSec * 1000 }),
    ...(cell.memoryMb === undefined ? {} : { memoryMb: cell.memoryMb }),
  };
}

const EFFECTS = [
  ['allow_network', 'net', 'network'],
  ['allow_shell', 'shell', 'shell'],
  ['allow_files', 'fs', 'files'],
] as const;

/**
 * A cell that declares a permission that nobody allows does not run at all. Shell implies files, but runs without them.
 */
export function refusalOf({
  cell,
  assignment,
}: {
  cell: CellTask;
  assignment: RunSetting;
}): CellError | undefined {
  const allowed = allowedBy(cell, assignment);
  for (const [key, effect, grant] of EFFECTS) {
    const implied = key === 'allow_files' && cell.declared.allow_shell;
    if (!cell.declared[key] || allowed[key] || implied) continue;
    const evalue = `cell "${cell.id}" declares ${effect}, but io_policy.${key} is false; set it to true, or run with --allow ${grant}`;
    return { output_type: 'error', ename: 'PolicyError', evalue, traceback: [] };
  }
  return undefined;
}

/** What the header or the person at the terminal allows. */
function allowedBy({ allowed }: CellTask, { granted }: RunSetting): Permissions {
  return {
    allow_files: allowed.allow_files || granted.allow_files === true,
    allow_network: allowed.allow_network || granted.allow_network === true,
    allow_shell: allowed.allow_shell || granted.allow_shell === true,
  };
}

/** The permissions that are both declared and allowed. */
function permitted(declared: Permissions, cell: CellTask, assignment: RunSetting): Permissions {
  const allowed = allowedBy(cell, assignment);
  return {
    allow_files: declared.allow_files && allowed.allow_files,
    allow_network: declared.allow_network && allowed.allow_network,
    allow_shell: declared.allow_shell && allowed.allow_shell,
  };
}
