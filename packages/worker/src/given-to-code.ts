/** What the code of a task may read beside the task's own fields: values, with nothing stored elsewhere. */
import { isStoredJson, type JobPort, type Json, type JsonObject, namesInSight } from '@woof/net';
import type { Performance } from './perform.ts';
import { withValues } from './with-values.ts';

type Given = JsonObject | Promise<JsonObject>;
type Wants = (name: string) => boolean;

/** The args of the step run. Bringing a stored value takes time: those that nobody wants are left out. */
export function argsGiven({ locals, port }: Performance, wants: Wants = () => true): Given {
  return withValues(port, () => atHand(locals.args, port, wants));
}

/** All that a template of the task could read by name. Secrets are not among it: only fields of tools see them. */
export function contextGiven({ assignment, world, locals, port }: Performance): Given {
  const steps = assignment.plan.steps.map(({ name }) => name);
  return withValues(port, () => {
    const near = { ...world, ctx: atHand(world.ctx, port) };
    return atHand(namesInSight(near, { ...locals, args: atHand(locals.args, port) }, steps), port);
  });
}

function atHand(values: JsonObject, { host }: Pick<JobPort, 'host'>, wants: Wants = () => true): JsonObject {
  const entries = Object.entries(values);
  if (!entries.some(([, value]) => isStoredJson(value))) return values;
  return Object.fromEntries(
    entries
      .filter(([name, value]) => !isStoredJson(value) || wants(name))
      .map(([name, value]) => [name, isStoredJson(value) ? (host.load?.(value) as Json) : value]),
  );
}
