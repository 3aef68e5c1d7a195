/** What the code of a task may read beside the task's own fields: values, with nothing stored elsewhere. */
import { isStoredJson, type JobPort, type Json, type JsonObject, namesInSight } from '@woof/net';
import type { Performance } from './perform.ts';
import { withValues } from './with-values.ts';

type Given = JsonObject | Promise<JsonObject>;

/** The args of the step run. */
export function argsGiven({ locals, port }: Performance): Given {
  return withValues(port, () => atHand(locals.args, port));
}

/** All that a template of the task could read by name. Secrets are not among it: only fields of tools see them. */
export function contextGiven({ assignment, world, locals, port }: Performance): Given {
  const steps = assignment.plan.steps.map(({ name }) => name);
  return withValues(port, () => atHand(namesInSight(world, locals, steps), port));
}

function atHand(values: JsonObject, { host }: Pick<JobPort, 'host'>): JsonObject {
  const entries = Object.entries(values);
  if (!entries.some(([, value]) => isStoredJson(value))) return values;
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isStoredJson(value) ? (host.load?.(value) as Json) : value]),
  );
}
