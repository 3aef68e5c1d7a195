/**
 * The kinds of tasks that rooms must know as more than the schema of a tool, one row per kind. All other kinds have a
 * tool and nothing that sets them apart.
 */
interface TaskKind {
  /** It calls a named task of the playbook (`plan.blocks`). */
  isNamedCall?: true;
  /** It starts a nested run. */
  startsRun?: true;
  /** It is an exec block: its input is an `ExecInput`, which the safety policy judges. */
  isExecBlock?: true;
}

const KINDS: ReadonlyMap<string, TaskKind> = new Map<string, TaskKind>([
  ['exec', { isExecBlock: true }],
  ['playbook', { startsRun: true }],
  ['workbook', { isNamedCall: true }],
]);

interface OfKind {
  kind: string;
}

/** Whether the task is a call of a named task of the playbook. */
export function isNamedCall({ kind }: OfKind): boolean {
  return KINDS.get(kind)?.isNamedCall === true;
}

/** Whether the task itself starts a nested run. */
export function startsRun({ kind }: OfKind): boolean {
  return KINDS.get(kind)?.startsRun === true;
}

/** Whether only workers that have the kind can perform the task. */
export function needsTool(task: OfKind): boolean {
  return !isNamedCall(task) && !startsRun(task);
}

/** Whether the task is an exec block, with an `ExecInput`. */
export function isExecBlock({ kind }: OfKind): boolean {
  return KINDS.get(kind)?.isExecBlock === true;
}
