/**
 * The input of a step's tasks in its last run.
 *
 * Calls: packages/protocol/src/http/executions.ts.
 */
import type { Loop, Step } from '@woof/net';
import { Problem } from '@woof/protocol';
import type { Values } from '@woof/stores';
import type { Call } from '../handler.ts';
import { RenderedAgain } from '../input/rendered-again.ts';
import { ShownValues } from '../input/shown-values.ts';
import { TaskStarts } from '../input/task-starts.ts';
import { bringing, valuesForReading } from '../input/values-for-reading.ts';
import type { Parts } from '../parts.ts';
import { checkStep, rowOf, stateOf, unlessTooLarge } from './execution-of.ts';

export async function input(parts: Parts, { params: { id }, query }: Call<'executions.input'>) {
  const { plan, steps } = await stateOf(parts, id);
  checkStep({ plan }, query.step);
  const step = plan.steps.find(({ name }) => name === query.step)!;
  const { runs = 0, status = 'pending' } = steps.get(step.name) ?? {};
  const iteration = iterationOf(step, query.iteration);
  const values = valuesForReading(parts.blobs);
  const starts = await bringing(values, () => replayed(parts, id, `${step.name}.${runs}`, iteration, values));
  const { args, tasks, notes } = await bringing(values, () => givenTo(step, starts, values));
  if (starts.runArgs === undefined) notes.unshift(await whyNoRun(parts, id, runs, status));
  else notes.unshift(...notBegun(step, starts, iteration));
  if (iteration !== query.iteration)
    notes.unshift(`This is iteration ${iteration}; name another with "iteration".`);
  return { step: step.name, args, tasks, ...(notes.length > 0 ? { note: notes.join(' ') } : {}) };
}

async function replayed(
  { engine }: Parts,
  id: string,
  run: string,
  iteration: string | undefined,
  values: Values,
): Promise<TaskStarts> {
  const job = iteration === undefined ? run : `${run}/${iteration}`;
  const starts = new TaskStarts(run, job, values.itemOf);
  await unlessTooLarge(id, engine.replay(id, starts.see));
  return starts;
}

function givenTo(step: Step, { starts, lease, itemFault, runArgs = {} }: TaskStarts, values: Values) {
  const again = new RenderedAgain(values);
  const show = new ShownValues(values);
  const tasks = step.tasks.flatMap((task) => {
    const start = starts.get(task.label);
    if (start === undefined) return [];
    const { label, kind } = task;
    return [{ label, kind, input: show.shown(again.input(task, start)) }];
  });
  const args = show.shown(lease ? again.args(lease) : runArgs);
  const notes = [...again.notes];
  if (itemFault !== undefined) notes.push(`The item of the iteration is not known: ${itemFault}.`);
  if (show.madeReference)
    notes.push('Values over 100 KB that a template made are shown as references; they are not stored.');
  return { args, tasks, notes };
}

/** Undefined for a step without a loop. Otherwise the requested iteration, by default the first. */
function iterationOf({ name, loop }: Step, asked: string | undefined): string | undefined {
  const depth = depthOf(loop);
  const first = Array.from({ length: depth }, () => 0).join('/');
  if (asked === undefined) return loop ? first : undefined;
  if (asked.split('/').length === depth) return asked;
  const fix = loop ? `name one index per loop, such as ${first}` : 'the step has no loop: leave it out';
  throw new Problem('request/invalid', `step "${name}" has no iteration ${asked}; ${fix}`);
}

const depthOf = (loop: Loop | undefined): number => (loop ? 1 + depthOf(loop.inner) : 0);

async function whyNoRun(parts: Parts, id: string, runs: number, status: string): Promise<string> {
  const { rerun_of: from } = await rowOf(parts, id);
  if (runs === 0 || from === undefined) return `The step has not begun; its status is ${status}.`;
  return `The step did not run: its result comes from execution ${from}. Ask that execution for its input.`;
}

function notBegun({ tasks }: Step, { starts, lease }: TaskStarts, iteration: string | undefined): string[] {
  if (lease === undefined && iteration !== undefined) return [`Iteration ${iteration} has not begun.`];
  const missing = tasks.filter(({ label }) => !starts.has(label)).map(({ label }) => label);
  return missing.length > 0 ? [`Tasks that have not begun: ${missing.join(', ')}.`] : [];
}
