/** `task.spec.policy`: how a task's outcome directs the pipeline. */
import { isTemplate } from '@woof/expr';
import type { Do, Json, JsonObject, PolicyRule, Then } from '@woof/net';
import { describe } from '../yaml/reading.ts';
import { child, isNull, type MapNode, mapToJson, type Node, textOf, toJson } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';
import { type Rule, readRules } from './rules.ts';
import { checkTemplates, takeGuard } from './templates.ts';

const DIRECTIVES: readonly Do[] = ['retry', 'jump', 'continue', 'break', 'fail', 'skip'];
const BACKOFFS = ['none', 'linear', 'exponential'] as const;
const PATCHES = ['set_iter', 'set_ctx', 'set_vars', 'set_shared'] as const;
const REDUCERS = ['append', 'sum', 'min', 'max', 'count', 'merge'];
const THEN_KEYS = ['do', 'attempts', 'backoff', 'delay', 'to', ...PATCHES, 'set_prev'];

/** The older dialect's word for `ok`; here it would silently never match. */
const OLD_SUCCESS = /\boutcome\.status\s*[=!]=\s*['"]success['"]/;

export interface PolicyScope {
  /** Labels of the step, for jumps. */
  labels: ReadonlySet<string>;
  /** Several iterations of the step may run at once. */
  parallel: boolean;
  /** The path of the task, e.g. `fetch/tool/get`. */
  path: string;
}

export function compileTaskPolicy(
  reading: Reading,
  policy: Node,
  scope: PolicyScope,
): PolicyRule[] | undefined {
  if (policy.type !== 'map')
    return reading.report(problems.policyShape(reading.span(policy), describe(policy)));
  const rules = policy.entries.get('rules');
  if (!rules) return reading.report(problems.policyShape(reading.span(policy), 'a map without `rules`'));
  reading.checkKeys(policy, "a task's policy", ['rules']);
  if (rules.value.type !== 'list') {
    return reading.report(
      problems.policyShape(reading.span(rules.value), `a map whose \`rules\` is ${describe(rules.value)}`),
    );
  }
  const read = readRules(reading, rules.value);
  if (read.every((rule) => rule.when !== undefined)) reading.report(problems.noElse(reading.span(rules.at)));
  const compiled = read.map((rule, i) => compileRule(reading, rule, scope, `${scope.path}/rules/${i}`));
  return compiled.filter((rule) => rule !== undefined);
}

function compileRule(reading: Reading, rule: Rule, scope: PolicyScope, path: string): PolicyRule | undefined {
  const when = takeGuard(reading, rule.when, `${path}/when`);
  if (rule.when && when !== undefined && OLD_SUCCESS.test(when)) {
    reading.report(problems.outcomeSuccess(reading.span(rule.when)));
  }
  const directive = rule.then && child(rule.then, 'do');
  if (!rule.then || !directive) return reading.report(problems.noDo(reading.keySpan(rule.then ?? rule.node)));
  const then = compileThen(reading, rule.then, directive, scope, `${path}/then`);
  return then && { ...(when === undefined ? {} : { when }), then };
}

function compileThen(
  reading: Reading,
  node: MapNode,
  directive: Node,
  scope: PolicyScope,
  path: string,
): Then | undefined {
  reading.checkKeys(node, '`then`', THEN_KEYS);
  checkTemplates(reading, node, path);
  const word = textOf(directive) ?? describe(directive);
  const chosen = DIRECTIVES.find((each) => each === word);
  if (!chosen) return reading.report(problems.unknownDo(reading.span(directive), word, DIRECTIVES));
  return {
    do: chosen,
    ...retryFields(reading, node, chosen),
    ...jumpField(reading, node, chosen, scope),
    ...patches(reading, node, scope),
  };
}

function retryFields(reading: Reading, node: MapNode, directive: Do): Partial<Then> {
  const attempts = child(node, 'attempts');
  const delay = child(node, 'delay');
  const backoff = child(node, 'backoff');
  if (directive !== 'retry') warnIdle(reading, node, ['attempts', 'backoff', 'delay'], '`do: retry`');
  else if (!attempts) reading.report(problems.retryWithoutAttempts(reading.keySpan(node)));
  const fields = {
    attempts: attempts && takeNumber(reading, attempts, 'attempts', 1, true),
    delay: delay && takeNumber(reading, delay, 'delay', 0, false),
    backoff: reading.takeWord(backoff, 'backoff', BACKOFFS),
  };
  return defined(fields);
}

function jumpField(reading: Reading, node: MapNode, directive: Do, scope: PolicyScope): Partial<Then> {
  const to = child(node, 'to');
  if (directive !== 'jump') {
    warnIdle(reading, node, ['to'], '`do: jump`');
    return {};
  }
  if (!to) reading.report(problems.jumpNowhere(reading.keySpan(node)));
  const label = reading.takeText(to, 'to');
  if (to && label !== undefined && !scope.labels.has(label)) {
    reading.report(problems.unknownLabel(reading.span(to), label, scope.labels));
  }
  return defined({ to: label });
}

function patches(reading: Reading, node: MapNode, scope: PolicyScope): Partial<Then> {
  const found: Partial<Record<(typeof PATCHES)[number], JsonObject>> & { set_prev?: Json } = {};
  for (const key of PATCHES) {
    const patch = reading.takeMap(child(node, key), key);
    if (!patch) continue;
    found[key] = mapToJson(patch);
    if (key === 'set_shared') checkReducers(reading, patch);
    if (key === 'set_ctx' && scope.parallel) {
      reading.report(problems.parallelSetCtx(reading.span(node.entries.get(key)!.at)));
    }
  }
  const previous = node.entries.get('set_prev');
  if (previous) found.set_prev = toJson(previous.value);
  return found;
}

function checkReducers(reading: Reading, patch: MapNode): void {
  for (const { key, at, value } of patch.entries.values()) {
    const reducers = value.type === 'map' ? [...value.entries.keys()] : [];
    if (reducers.length === 1 && REDUCERS.includes(reducers[0]!)) continue;
    reading.report(problems.reducer(reading.span(at), key, REDUCERS));
  }
}

function warnIdle(reading: Reading, node: MapNode, fields: readonly string[], needs: string): void {
  for (const field of fields) {
    const entry = node.entries.get(field);
    if (entry && !isNull(entry.value))
      reading.report(problems.idleField(reading.span(entry.at), field, needs));
  }
}

/** A number that is at least `least`, or a template that evaluates to one. */
export function takeNumber(
  reading: Reading,
  node: Node,
  what: string,
  least: number,
  whole: boolean,
): Json | undefined {
  const value = node.type === 'scalar' ? node.value : undefined;
  if (typeof value === 'string' && isTemplate(value)) return value;
  if (typeof value === 'number' && value >= least && (!whole || Number.isInteger(value))) return value;
  const expected = `${whole ? 'a whole number' : 'a number'} of at least ${least}, or a template`;
  return reading.report(problems.badNumber(reading.span(node), what, expected, describe(node)));
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
