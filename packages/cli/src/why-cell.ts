/** Why a cell of a notebook would run again, or that it would not. */
import type { CellTask } from '@woof/net';
import { createCellRunner } from './cell-runner.ts';
import { locateData } from './data-directory.ts';
import { grantsOf } from './grants.ts';
import { readPlan, refuseInvalid } from './read-plan.ts';
import { applySets } from './set-flags.ts';
import { UserError } from './user-error.ts';

export async function whyCell(
  file: string,
  id: string | undefined,
  flags: { json?: true; data?: string; set?: string[]; allow?: string },
): Promise<number> {
  const read = readPlan(file);
  const plan = refuseInvalid(read, file);
  const cells = plan.steps.map((step) => step.tasks[0]!.input as unknown as CellTask);
  const asked = id === undefined ? cells : cells.filter((cell) => cell.id === id);
  if (asked.length === 0 && id !== undefined) {
    const known = cells.map((cell) => cell.id).join(', ');
    throw new UserError(`${file} has no cell "${id}" that runs`, known && `it has: ${known}`, 2);
  }
  const parameters = applySets(plan.workload, flags.set ?? [], { keepTypes: true });
  const granted = grantsOf(flags.allow) ?? {};
  const runner = createCellRunner(locateData(flags.data), { sandbox: true });
  const explain = runner.explainer(plan, { source: read.source, granted, parameters });
  const reasons: { step: string; id: string; reason: string }[] = [];
  for (const cell of asked) {
    reasons.push({ step: cell.id, id: cell.id, reason: await explain(cell) });
  }
  if (flags.json) console.log(JSON.stringify({ file, reasons }));
  else for (const { step, reason } of reasons) console.log(`${step}  ${reason}`);
  return 0;
}
