/** One cell that is to run, and what of it a kernel is asked for. */
import type { CellError, ChartRequest, Kernel, KernelSpec } from '@woof/kernels';
import { type Assignment, type CellTask, isObject, type Json, type World } from '@woof/net';
import type { FilledChart } from './chart-cell.ts';

/** What of a run the keys and kernels of its cells depend on. */
export type RunSetting = Pick<Assignment, 'execution_id' | 'plan' | 'granted' | 'source'> & {
  world: Pick<World, 'workload' | 'steps'>;
};

export interface CellCall {
  cell: CellTask;
  assignment: Assignment;
  signal: AbortSignal;
  /** An effect waits for it; false: the job is no longer ours. */
  durable(): Promise<boolean>;
  log(stream: 'stdout' | 'stderr', text: string): void;
}

/** What of the machine every kernel gets. */
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
    policy: withGrants(cell.permissions, assignment),
    parameters: assignment.world.workload,
    sandbox,
    hidden,
  };
  if (cell.kernel !== undefined) spec.kernel = cell.kernel;
  if (cell.memoryMb !== undefined) spec.memoryMb = cell.memoryMb;
  return { ...spec, ...environmentOf(cell.env) };
}

/** What of the header's `env` a kernel starts with. */
export function environmentOf(env: Json): Pick<KernelSpec, 'requirements' | 'container'> {
  const { requirements, container } = isObject(env) ? env : {};
  if (isObject(container)) return { container: String(container.image) };
  return Array.isArray(requirements) ? { requirements: requirements.map(String) } : {};
}

export function runOf({ cell, assignment, signal }: CellCall): Parameters<Kernel['run']>[0] {
  const run = {
    id: cell.id,
    code: cell.body,
    declared: withGrants(cell.declared, assignment),
    track: cell.cache,
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

/** A cell that declares what nobody allows is not run at all. Shell implies files, and runs without them. */
export function refusalOf({
  cell,
  assignment,
}: {
  cell: CellTask;
  assignment: RunSetting;
}): CellError | undefined {
  const allowed = withGrants(cell.allowed, assignment);
  for (const [key, effect, grant] of EFFECTS) {
    const implied = key === 'allow_files' && cell.declared.allow_shell;
    if (!cell.declared[key] || allowed[key] || implied) continue;
    const evalue = `cell "${cell.id}" declares ${effect}, and io_policy.${key} is false; set it to true, or run with --allow ${grant}`;
    return { output_type: 'error', ename: 'PolicyError', evalue, traceback: [] };
  }
  return undefined;
}

function withGrants(policy: CellTask['permissions'], assignment: RunSetting): CellTask['permissions'] {
  const { allow_files, allow_network, allow_shell } = assignment.granted;
  return {
    allow_files: policy.allow_files || allow_files === true,
    allow_network: policy.allow_network || allow_network === true,
    allow_shell: policy.allow_shell || allow_shell === true,
  };
}
