import { asData, type CellTask, failure, type Outcome } from '@woof/net';
import type { Performance } from './performance.ts';

/** A cell's body is code, not a template, so none of it is rendered. */
export async function performCell(performance: Performance): Promise<Outcome> {
  const { task, taskRunId, assignment, options } = performance;
  if (options.cells === undefined) return failure('schema', 'this worker does not run notebook cells');
  const outcome = await options.cells.run({
    cell: task.input as unknown as CellTask,
    assignment,
    signal: performance.job.signal(),
    durable: () => performance.port.durable(assignment),
    log: (stream, text) => options.logs.write(assignment, taskRunId, stream, text),
  });
  return asData(outcome);
}
