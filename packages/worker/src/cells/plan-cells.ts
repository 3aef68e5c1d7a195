/** The cells of a notebook's plan by id, in the order in which they run. */
import type { CellTask, Plan } from '@woof/net';

export type PlanCells = ReadonlyMap<string, CellTask>;

const indexes = new WeakMap<Plan, PlanCells>();

export function cellsOf(plan: Plan): PlanCells {
  let cells = indexes.get(plan);
  if (cells === undefined) {
    const tasks = plan.steps.flatMap((step) => step.tasks);
    cells = new Map(tasks.map((task) => [task.label, task.input as unknown as CellTask]));
    indexes.set(plan, cells);
  }
  return cells;
}
