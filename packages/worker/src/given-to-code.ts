/** What the code of a task may read beside the task's own fields: values, with nothing stored elsewhere. */
import { withinBytes } from '@woof/expr';
import { holdsStored, type JsonObject, namesInSight, naming, settled } from '@woof/net';
import type { Performance } from './performance.ts';
import { withValues } from './with-values.ts';

type Given = JsonObject | Promise<JsonObject>;
type Wants = (name: string) => boolean;

/** The args of the step run. Bringing a stored value takes time: those that nobody wants are left out. */
export function argsGiven({ locals, port }: Performance, wants: Wants = () => true): Given {
  if (!holdsStored(locals.args)) return locals.args;
  const wanted = Object.entries(locals.args).filter(([name, value]) => wants(name) || !holdsStored(value));
  return inPlace(Object.fromEntries(wanted), port);
}

/** All that a template of the task could read by name. Secrets are not among it: only fields of tools see them. */
export function contextGiven({ assignment, world, locals, port }: Performance): Given {
  const steps = assignment.plan.steps.map(({ name }) => name);
  return inPlace(namesInSight(world, locals, steps), port);
}

function inPlace(values: JsonObject, port: Performance['port']): Given {
  const { load, loadableBytes } = port.host;
  if (load === undefined) return values;
  return withValues(port, () => {
    const parts = Object.entries(values).map(
      ([name, value]) =>
        [name, settled(value, naming(`the argument "${name}"`, withinBytes(loadableBytes, load)))] as const,
    );
    return Object.fromEntries(parts);
  });
}
