/** What the code of a task may read besides the task's own fields: plain values, none of them stored elsewhere. */
import {
  holdsStored,
  type Json,
  type JsonObject,
  named,
  namesInSight,
  oversize,
  settledWithin,
} from '@woof/net';
import type { Performance } from './performance.ts';
import { withValues } from './with-values.ts';

type Given = JsonObject | Promise<JsonObject>;
type Wants = (name: string) => boolean;

/** The args of the step run. Loading a stored value takes time, so args that nobody wants are left out. */
export function argsGiven({ locals, port }: Performance, wants: Wants = () => true): Given {
  const isAtHand = (value: Json) => !holdsStored(value) && !oversize(value, port.host.loadableBytes);
  if (isAtHand(locals.args)) return locals.args;
  const wanted = Object.entries(locals.args).filter(([name, value]) => wants(name) || isAtHand(value));
  return inPlace(Object.fromEntries(wanted), port);
}

/**
 * Everything that a template of the task could read by name. Secrets are not included: only fields of tools see them.
 */
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
        [name, named(`the argument "${name}"`, () => settledWithin(value, loadableBytes, load))] as const,
    );
    return Object.fromEntries(parts);
  });
}
