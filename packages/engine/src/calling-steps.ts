/** Which steps of a plan may call a playbook, themselves or through a named task. */
import { isNamedCall, type Plan, startsRun, type Task } from '@woof/net';

const known = new WeakMap<Plan, ReadonlySet<string>>();

export function callingSteps(plan: Plan): ReadonlySet<string> {
  let names = known.get(plan);
  if (names === undefined) {
    names = new Set(plan.steps.filter(({ tasks }) => tasks.some(mayCall(plan))).map(({ name }) => name));
    known.set(plan, names);
  }
  return names;
}

function mayCall({ blocks }: Plan): (task: Task) => boolean {
  const isNamed = Object.values(blocks).some(startsRun);
  return (task) => startsRun(task) || (isNamed && isNamedCall(task));
}
