import {
  failure,
  isObject,
  type JsonObject,
  type Locals,
  mergeLayers,
  type Outcome,
  type Site,
  StepScope,
  type Task,
} from '@woof/net';
import type { Parked } from '@woof/tools';
import { schemaOf } from './own-kinds.ts';
import type { Performance, PerformOptions } from './performance.ts';

const DEEPEST_NAMED = 16;

type Perform = (performance: Performance) => Promise<Outcome | Parked>;

/** A `workbook` task runs the playbook's named task with its own args. */
export async function performNamed(
  performance: Performance,
  input: JsonObject,
  perform: Perform,
): Promise<Outcome | Parked> {
  const depth = (performance.depth ?? 0) + 1;
  if (depth > DEEPEST_NAMED)
    return failure('schema', `named tasks call each other more than ${DEEPEST_NAMED} deep`);
  const { assignment, locals, port, world } = performance;
  const name = String(input.name);
  const block = Object.hasOwn(assignment.plan.blocks, name) ? assignment.plan.blocks[name] : undefined;
  if (block === undefined) {
    const known = Object.keys(assignment.plan.blocks).join(', ') || 'none';
    return failure('schema', `the playbook has no workbook task "${name}"; it has: ${known}`);
  }
  const inner: Locals = { ...locals, args: { ...locals.args, ...(input.args as JsonObject | undefined) } };
  const scope = new StepScope(world, inner);
  const site: Site = { plan: assignment.plan, scope, host: port.host, path: `workbook/${name}` };
  // The named task's own settings are the innermost layer; it inherits the rest from the caller.
  const spec = mergeLayers(performance.task.spec, block.spec);
  const given = takesArgs(block, performance.options.tools) && isObject(input.args) ? input.args : undefined;
  return perform({ ...performance, task: { ...block, spec }, site, locals: inner, depth, given });
}

function takesArgs({ kind }: Task, tools: PerformOptions['tools']): boolean {
  return schemaOf(kind, tools)?.fields.args !== undefined;
}
