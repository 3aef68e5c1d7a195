/** Names in templates that are not defined: a guard that reads one is always false, silently. */
import { isTemplate } from '@woof/expr';
import { type Diagnostic, type Json, type Plan, RESERVED_NAMES, type Step, type Task } from '@woof/net';
import { isSlip } from '../slip.ts';
import { sourceEnd, sourceOffset } from '../yaml/scalar-source.ts';
import type { Span } from '../yaml/source.ts';
import type { ScalarNode } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import { isForeignName } from './foreign-names.ts';
import type { Doubts } from './names-in-doubt.ts';
import { loopsOf, NamesInScope, type Shape } from './names-in-scope.ts';
import type { Reading } from './reading.ts';

export function warnUnknownNames(reading: Reading, plan: Plan, doubts: Doubts): void {
  if (reading.templates.size === 0) return;
  const names = new NamesInScope(plan);
  const { iterators } = names;
  const check: Check = (value, path, scope) => checkValue(reading, value, path, { scope, iterators, doubts });
  for (const entry of plan.keychain) check(entry, `keychain/${entry.name}`, () => names.keychain());
  for (const step of plan.steps) checkStep(step, names, check);
  for (const task of Object.values(plan.blocks)) {
    const [scope, ruleScope] = [once(() => names.block(task)), once(() => names.blockRule(task))];
    checkTask(task, `workbook/${task.label}`, scope, ruleScope, check);
  }
}

/** Made only if there is a template to check: most steps of a long document have few. */
type Scope = () => Shape;

function once(make: Scope): Scope {
  let made: Shape | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

type Check = (value: Json | undefined, path: string, scope: Scope) => void;

function checkStep(step: Step, names: NamesInScope, check: Check): void {
  const { name } = step;
  for (const [i, rule] of step.admit.entries())
    check(rule.when, `${name}/admit/${i}/when`, () => names.admission());
  check(step.args, `${name}/args`, () => names.args(step));
  for (const [depth, loop] of loopsOf(step.loop).entries()) {
    const path = `${name}/loop${'/inner'.repeat(depth)}`;
    const scope = once(() => names.loop(loopsOf(step.loop).slice(0, depth)));
    check(loop.in, `${path}/in`, scope);
    check(loop.maxInFlight, `${path}/max_in_flight`, scope);
  }
  const scope = once(() => names.task(step));
  const ruleScope = once(() => names.rule(step));
  const end = once(() => names.end(step));
  for (const task of step.tasks) checkTask(task, `${name}/tool/${task.label}`, scope, ruleScope, check);
  check(step.setCtx, `${name}/set_ctx`, end);
  for (const [i, arc] of step.next.arcs.entries()) {
    check(arc.when, `${name}/next/${i}/when`, end);
    check(arc.args, `${name}/next/${i}/args`, end);
  }
}

function checkTask(task: Task, path: string, scope: Scope, ruleScope: Scope, check: Check): void {
  check(task.input, path, scope);
  check(task.spec, `${path}/spec`, scope);
  for (const [i, rule] of (task.rules ?? []).entries()) {
    check(rule.when, `${path}/rules/${i}/when`, ruleScope);
    check(rule.then as unknown as Json, `${path}/rules/${i}/then`, ruleScope);
  }
}

interface Readable {
  scope: Scope;
  iterators: ReadonlyMap<string, string>;
  doubts: Doubts;
}

function checkValue(reading: Reading, value: Json | undefined, path: string, readable: Readable): void {
  if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) checkValue(reading, item, `${path}/${key}`, readable);
  } else if (typeof value === 'string' && isTemplate(value) && !reading.hasEnough) {
    const node = reading.templates.get(path);
    if (node && !readable.doubts.isAstray(node)) checkTemplate(reading, node, readable);
  }
}

function checkTemplate(reading: Reading, node: ScalarNode, readable: Readable): void {
  for (const { path, start, end } of reading.needs.get(node) ?? []) {
    const unknown = firstUnknown(path, readable);
    if (unknown === undefined || readable.doubts.mayBeGiven(unknown.name)) continue;
    const source = reading.source.text;
    const at = reading.source.span(sourceOffset(node, source, start), sourceEnd(node, source, end - 1));
    reading.report(problemOf(at, unknown, readable));
  }
}

function problemOf(at: Span, { holder, name, known }: Unknown, { iterators }: Readable): Diagnostic {
  if (holder.length > 0) return problems.unknownName(at, holder, name, known);
  const step = iterators.get(name);
  if (step !== undefined)
    return problems.unreadableName(at, name, `in the tasks of step "${step}", whose loop binds it`);
  return RESERVED_NAMES.has(name)
    ? problems.unreadableName(at, name)
    : problems.unknownName(at, holder, name, known);
}

interface Unknown {
  /** The names before it. */
  holder: readonly string[];
  name: string;
  known: readonly string[];
}

function firstUnknown(path: readonly string[], { scope, iterators }: Readable): Unknown | undefined {
  let holder: Shape | undefined = scope();
  for (const [depth, name] of path.entries()) {
    const layer: ReadonlyMap<string, Shape | undefined> | undefined = holder.layers.find((each) =>
      each.has(name),
    );
    if (layer === undefined) {
      if (holder.isAnything) return undefined;
      const known = holder.layers.flatMap((each) => [...each.keys()]);
      const isSure = depth === 0 && (RESERVED_NAMES.has(name) || isForeignName(name) || iterators.has(name));
      if (holder.isOpen && !isSure && !isSlip(name, known)) return undefined;
      return { holder: path.slice(0, depth), name, known };
    }
    holder = layer.get(name);
    if (holder === undefined) return undefined;
  }
  return undefined;
}
