import { type Assignment, asData, type CellTask, failure, type JobPort, type Outcome } from '@woof/net';
import type { Performance } from './performance.ts';
import { settledInput } from './task-input.ts';
import { withValues } from './with-values.ts';

/** A cell's body is code, not a template, so none of it is rendered. */
export async function performCell(performance: Performance): Promise<Outcome> {
  const { task, taskRunId, options, port } = performance;
  if (options.cells === undefined) return failure('schema', 'this worker does not run notebook cells');
  const assignment = await withParameters(performance.assignment, port);
  const outcome = await options.cells.run({
    cell: task.input as unknown as CellTask,
    assignment,
    signal: performance.job.signal(),
    durable: () => port.durable(assignment),
    log: (stream, text) => options.logs.write(assignment, taskRunId, stream, text),
  });
  return asData(outcome);
}

/** Kernels and keys take the parameters themselves, wherever they are stored. */
async function withParameters(assignment: Assignment, port: JobPort): Promise<Assignment> {
  const { world } = assignment;
  const workload = await withValues(port, () => settledInput(world.workload, {}, port.host));
  return workload === world.workload ? assignment : { ...assignment, world: { ...world, workload } };
}
