/**
 * Everything that can be wrong with a playbook: one named constructor a problem, so that each message is written
 * once and each code has its entry in docs/diagnostics.md.
 */
import { didYouMean } from '@woof/expr/nearest';
import { declarationOf, usualFields } from '@woof/net';
import { error, warning } from '../problem.ts';
import type { Span } from '../yaml/source.ts';
import { insteadOfKind, OTHER_SERVICE } from './foreign-kinds.ts';
import { meantBy } from './foreign-names.ts';
import { conditionAdvice, insteadOf, isProse, meaningOf, specPath } from './misplaced-keys.ts';

const UPGRADE = 'this is the older dialect: rewrite it with `woof upgrade FILE`, or run it with --upgrade';
const MAX_LISTED = 20;
const list = (words: Iterable<string>) => {
  const all = [...words];
  const named = all.slice(0, MAX_LISTED).map((word) => `"${word}"`);
  return [...named, ...(all.length > MAX_LISTED ? ['…'] : [])].join(', ') || 'none';
};
const arrows = (path: readonly string[]) =>
  (path.length > MAX_LISTED ? [...path.slice(0, MAX_LISTED), '…', path.at(-1)] : path).join(' → ');
const oneOf = (words: readonly string[]) => `use one of ${list(words)}`;

const shape = {
  unquotedTemplate: (at: Span) =>
    error(
      'playbook/unquoted-template',
      at,
      'an unquoted {{ … }} is a map in YAML, not a template',
      'put the template in quotes: "{{ … }}"',
    ),
  wrongType: (at: Span, what: string, expected: string, got: string, hint?: string) =>
    error('playbook/wrong-type', at, `${what} must be ${expected}, got ${got}`, hint),
  looseType: (at: Span, what: string, expected: string, got: string) =>
    warning('playbook/loose-type', at, `${what} should be ${expected}, got ${got}`),
  notOneOf: (at: Span, what: string, got: string, allowed: readonly string[]) =>
    error(
      'playbook/not-one-of',
      at,
      `${what} cannot be "${got}"`,
      didYouMean(got, allowed) ?? oneOf(allowed),
    ),
  missing: (at: Span, what: string, field: string, hint?: string) =>
    error('playbook/missing-field', at, `${what} has no \`${field}\``, hint),
  unknownKey: (at: Span, what: string, key: string, known: readonly string[]) =>
    misplaced(at, what, key, known) ??
    error('playbook/unknown-key', at, `${what} has no field "${key}"`, didYouMean(key, known) ?? OWN_KEYS),
  foreignKey: (at: Span, what: string, key: string, instead: string) =>
    error('playbook/foreign-key', at, `${what} has no \`${key}\``, instead),
  ignoredKey: (at: Span, what: string, key: string, known: readonly string[]) =>
    warning('playbook/ignored-key', at, `${what} does not keep "${key}"`, didYouMean(key, known) ?? OWN_KEYS),
  tooLong: (at: Span, what: string, most: number, got: number) =>
    error('playbook/too-long', at, `${what} may have ${most} characters, got ${got}`, 'shorten it'),
  badNumber: (at: Span, what: string, expected: string, got: string) =>
    error('playbook/bad-number', at, `${what} must be ${expected}, got ${got}`),
};

const root = {
  noApiVersion: (at: Span) =>
    warning(
      'playbook/no-api-version',
      at,
      'the playbook has no apiVersion',
      'add `apiVersion: noetl.io/v10`',
    ),
  apiVersion: (at: Span, got: string, known: readonly string[]) =>
    error('playbook/api-version', at, `apiVersion "${got}" is not supported`, oneOf(known)),
  wrongKind: (at: Span, got: string) =>
    error('playbook/wrong-kind', at, `kind must be Playbook, got "${got}"`, 'write `kind: Playbook`'),
  rootVars: (at: Span) =>
    error(
      'playbook/root-vars',
      at,
      'a playbook has no root `vars`',
      'put inputs in `workload`, state in `ctx` with set_ctx',
    ),
  executorCredentials: (at: Span, key: string) =>
    error(
      'playbook/executor-credentials',
      at,
      `\`${key}\` cannot stand under executor`,
      'declare credentials in the root `keychain`',
    ),
  labelsApart: (at: Span, label: string, first: string, other: string) =>
    error(
      'playbook/labels-apart',
      at,
      `\`profile: local\` keeps a run on one worker, and steps want both ${label}: ${first} and ${label}: ${other}`,
      'give the steps the same labels, or use `profile: distributed`',
    ),
  noEntry: (at: Span) =>
    error(
      'playbook/no-entry',
      at,
      'no step is called "start", and executor.spec.entry_step names none',
      'call the first step "start", or name it in executor.spec.entry_step',
    ),
  unknownEntry: (at: Span, name: string, steps: Iterable<string>) =>
    error('playbook/unknown-entry', at, `entry_step: no step "${name}"`, didYouMean(name, steps)),
  noSteps: (at: Span) =>
    error('playbook/no-steps', at, 'the workflow has no steps', 'add a step called "start"'),
  duplicateName: (at: Span, what: string, name: string, firstLine: number) =>
    error(
      'playbook/duplicate-name',
      at,
      `${what} "${name}" is already on line ${firstLine}`,
      'rename one of them',
    ),
  workloadTemplate: (at: Span) =>
    warning(
      'playbook/workload-template',
      at,
      'workload is plain data: this template is never evaluated',
      'render it where it is used, in `args` or a tool field',
    ),
};

const conditions = {
  stepWhen: (at: Span) =>
    error('playbook/step-when', at, 'a step has no `when`', `use spec.policy.admit.rules; ${UPGRADE}`),
  legacyEval: (at: Span) =>
    error('playbook/legacy-eval', at, '`eval` is of the older dialect', `use spec.policy.rules; ${UPGRADE}`),
  expr: (at: Span) =>
    error(
      'playbook/expr',
      at,
      '`expr` is of the older dialect',
      `the only condition is \`when\`; ${UPGRADE}`,
    ),
  conditionKey: (at: Span, key: string, what: string, instead: string) =>
    error('playbook/condition-key', at, `${what} has no \`${key}\``, instead),
  knobOutsideSpec: (at: Span, key: string, what: string, path: string) =>
    error('playbook/knob-outside-spec', at, `move \`${key}\` of ${what} to ${path}`),
  policyOutsideSpec: (at: Span, what: string) =>
    error('playbook/policy-outside-spec', at, `move \`policy\` of ${what} to spec.policy`),
};

const OWN_KEYS = 'remove it, or prefix it with `x-` if it is yours';

/** What a key that the place does not have is a slip or another word for. */
function misplaced(
  at: Span,
  what: string,
  key: string,
  known: readonly string[],
): ReturnType<typeof error> | undefined {
  if (key === 'expr') return conditions.expr(at);
  if (key === 'eval') return conditions.legacyEval(at);
  const path = specPath(what, key);
  if (path !== undefined) return conditions.knobOutsideSpec(at, key, what, path);
  const meaning = meaningOf(key);
  if (meaning !== undefined) return conditions.conditionKey(at, key, what, conditionAdvice(what, meaning));
  if (isProse(key)) return shape.ignoredKey(at, what, key, known);
  const instead = insteadOf(what, key, known);
  return instead === undefined ? undefined : shape.foreignKey(at, what, key, instead);
}

const policies = {
  policyShape: (at: Span, got: string) =>
    error('playbook/policy-shape', at, `a task's policy must be a map with \`rules\`, got ${got}`),
  ruleShape: (at: Span) =>
    error(
      'playbook/rule-shape',
      at,
      'a rule is either {when, then} or {else: {then}}',
      'give it `when`, or make it the `else`',
    ),
  noDo: (at: Span) =>
    error(
      'playbook/missing-do',
      at,
      'the rule has no `then.do`',
      'say then: {do: retry | jump | continue | break | fail | skip}',
    ),
  unknownDo: (at: Span, got: string, known: readonly string[]) =>
    error('playbook/unknown-do', at, `no directive "${got}"`, didYouMean(got, known) ?? oneOf(known)),
  controlOutsideTask: (at: Span, what: string) =>
    error(
      'playbook/control-outside-task',
      at,
      `${what} cannot say \`do\``,
      "only a task's spec.policy.rules may direct the pipeline",
    ),
  noAllow: (at: Span) =>
    error(
      'playbook/missing-allow',
      at,
      'the admission rule has no `then.allow`',
      'say then: {allow: true | false}',
    ),
  jumpNowhere: (at: Span) =>
    error('playbook/jump-without-to', at, 'a jump needs `to`, the label of a task of this step'),
  unknownLabel: (at: Span, got: string, labels: Iterable<string>) =>
    error(
      'playbook/unknown-label',
      at,
      `no task "${got}" in this step`,
      didYouMean(got, labels) ?? `its tasks are ${list(labels)}`,
    ),
  reducer: (at: Span, key: string, reducers: readonly string[]) =>
    error(
      'playbook/bad-reducer',
      at,
      `set_shared.${key} must be one reducer with its value`,
      oneOf(reducers),
    ),
  manyElse: (at: Span) => error('playbook/many-else', at, 'there can be only one `else`'),
  elseNotLast: (at: Span) =>
    warning('playbook/else-not-last', at, '`else` is judged after all other rules', 'move it to the end'),
  noElse: (at: Span) =>
    warning(
      'playbook/no-else',
      at,
      'the rules have no `else`: an outcome that none matches continues, errors included',
      'add `- else: {then: {do: fail}}`, or what you mean',
    ),
  retryWithoutAttempts: (at: Span) =>
    warning(
      'playbook/retry-without-attempts',
      at,
      'a retry without `attempts` gives up after 3 executions of the task',
      'add attempts to say how many you mean, the first one included',
    ),
  outcomeSuccess: (at: Span) =>
    warning(
      'playbook/outcome-success',
      at,
      'outcome.status is "ok" or "error", never "success"',
      `write "ok"; ${UPGRADE}`,
    ),
  idleField: (at: Span, field: string, needs: string) =>
    warning('playbook/idle-field', at, `\`${field}\` has no effect without ${needs}`),
};

/** The event that an author most likely means by the one in the guard. */
function insteadOfEvent(guard: string, ends: readonly string[]): string | undefined {
  const named = /['"]((?:step|loop|call)\.?\w*)['"]/.exec(guard)?.[1] ?? '';
  if (DONE_EVENTS.includes(named)) {
    const done = ends.find((end) => end !== 'step.failed');
    return `${done === 'loop.done' ? 'it has a loop' : 'it has no loop'}: compare with "${done}"`;
  }
  return didYouMean(named, ends);
}

const DONE_EVENTS = ['step.done', 'call.done', 'step.exit', 'loop.done'];

const flow = {
  legacyNext: (at: Span, got: string, isOlder: boolean) =>
    error(
      'playbook/legacy-next',
      at,
      `next must be a map with \`arcs\`, got ${got}`,
      isOlder ? UPGRADE : 'write next: {arcs: [{step: …}]}',
    ),
  nextMode: (at: Span) =>
    error('playbook/next-mode', at, 'spec.next_mode is not used', `use next.spec.mode; ${UPGRADE}`),
  unknownStep: (at: Span, got: string, steps: Iterable<string>) =>
    error('playbook/unknown-step', at, `no step "${got}"`, didYouMean(got, steps)),
  deadEnd: (at: Span, step: string) =>
    warning('playbook/empty-step', at, `step "${step}" has neither tool nor next: it only ends a path`),
  unreachable: (at: Span, step: string) =>
    warning('playbook/unreachable-step', at, `no arc leads from the entry to step "${step}"`),
  deadArc: (at: Span, step: string, ends: readonly string[], guard: string) =>
    warning(
      'playbook/dead-arc',
      at,
      `this arc never fires: step "${step}" ends with ${ends.map((end) => `"${end}"`).join(' or ')}`,
      insteadOfEvent(guard, ends),
    ),
  falseGuard: (at: Span) =>
    warning('playbook/false-guard', at, 'this arc never fires: its guard is always false', 'remove the arc'),
  shadowedArc: (at: Span, line: number) =>
    warning(
      'playbook/shadowed-arc',
      at,
      `this arc never fires: the arc on line ${line} fires whenever this one could, and only the first that matches fires`,
      'move it up, or say `next.spec.mode: inclusive`',
    ),
  shadowedStep: (at: Span, step: string) =>
    warning(
      'playbook/shadowed-step',
      at,
      `templates cannot read the result of step "${step}" by its name: that name means something else there`,
      'rename the step',
    ),
  loopIn: (at: Span, got: string) =>
    error(
      'playbook/loop-in',
      at,
      `loop.in must be a list or a template that gives one, got ${got}`,
      'write in: "{{ … }}"',
    ),
  badIterator: (at: Span, got: string) =>
    error(
      'playbook/bad-iterator',
      at,
      `"${got}" cannot name the iterator`,
      'use a plain name that means nothing else in templates: not index, parent, iter, loop, args, ctx, …',
    ),
  failureWithoutLoop: (at: Span) =>
    error(
      'playbook/failure-without-loop',
      at,
      'policy.failure says what a failed iteration means, and the step has no loop',
      'write an arc: {step: …, when: "{{ event.name == \'step.failed\' }}"}',
    ),
  parallelSetCtx: (at: Span) =>
    warning(
      'playbook/parallel-set-ctx',
      at,
      'set_ctx from parallel iterations: a second, different write of a key fails its iteration',
      'use set_iter, or set_shared with a reducer',
    ),
};

const tools = {
  unknownKind: (at: Span, got: string, kinds: readonly string[]) =>
    error(
      'playbook/unknown-kind',
      at,
      `no tool kind "${got}"`,
      insteadOfKind(got) ?? didYouMean(got, kinds) ?? `the kinds are ${list(kinds)}; ${OTHER_SERVICE}`,
    ),
  errorAtEnd: (at: Span) =>
    error(
      'playbook/no-next-is-error',
      at,
      '`no_next_is_error` can only be false: a branch without an arc that matches ends, and is not an error',
      'to fail, add an arc without `when` to a step whose task fails',
    ),
  noKind: (at: Span) => error('playbook/missing-kind', at, 'the task has no `kind`', 'add `kind: …`'),
  taskShape: (at: Span, got: string) =>
    error(
      'playbook/task-shape',
      at,
      `a task is a map with \`kind\`, or \`label: {kind: …}\`, got ${got}`,
      'write `- label: {kind: …}`',
    ),
  needs: (at: Span, kind: string, group: readonly string[]) =>
    error(
      'playbook/missing-input',
      at,
      `a task of kind ${kind} needs ${group.map((field) => `\`${field}\``).join(' or ')}`,
    ),
  unknownBlock: (at: Span, got: string, blocks: Iterable<string>) =>
    error('playbook/unknown-block', at, `the workbook has no task "${got}"`, didYouMean(got, blocks)),
  circularBlock: (at: Span, circle: readonly string[]) =>
    error(
      'playbook/circular-block',
      at,
      `tasks of the workbook call each other in a circle: ${arrows(circle)}`,
      'let one of them do something of its own',
    ),
  specTooLarge: (at: Span, limit: number) =>
    error(
      'playbook/spec-too-large',
      at,
      `the specs that tasks inherit come to more than ${limit} values`,
      'set fewer knobs at the outer scopes, or put data in `workload`',
    ),
  unknownKnob: (at: Span, key: string, what: string, known: readonly string[]) =>
    misplaced(at, what, key, known) ??
    error('playbook/unknown-knob', at, `${what} has no knob "${key}"`, didYouMean(key, known) ?? OWN_KEYS),
};

/** What gives a name that a template reads, where that says more than that it is missing. */
const UNKNOWN_IN: Readonly<Record<string, (name: string) => string>> = {
  ctx: (name) => `no step sets ctx.${name}`,
  args: (name) => `no arc and no step passes args.${name}`,
  input: (name) => `no arc and no step passes input.${name}`,
  vars: (name) => `no rule of this step sets vars.${name}`,
  results: (name) => `this step has no task "${name}" that results could hold here`,
  iter: (name) => `iter.${name} is not defined here`,
};

const MAY_BE_ABSENT = 'if it may be absent, say so in the template: `| default(…)`, or `is defined`';
const IN_LOOPS = 'in the tasks of a step with a loop';
/** Where names can be read that do not exist everywhere. */
const READABLE: Readonly<Record<string, string>> = {
  outcome: 'in the rules of tasks; an arc reads `event.name`, `event.payload` and the results of steps',
  event: 'in arcs, in admission rules and in `set_ctx` of a step',
  _prev: 'in tasks, rules and arcs',
  _task: 'in tasks and rules',
  _attempt: 'in tasks and rules',
  loop: 'in the tasks and arcs of a step with a loop',
  _index: IN_LOOPS,
  loop_index: IN_LOOPS,
  _first: IN_LOOPS,
  _last: IN_LOOPS,
};

function foreignHint(holder: readonly string[], name: string, known: readonly string[]): string | undefined {
  const meant = holder.length === 0 ? meantBy(name) : undefined;
  if (meant === undefined) return undefined;
  const where = Object.hasOwn(READABLE, meant) && !known.includes(meant) ? READABLE[meant] : undefined;
  return `did you mean "${meant}"?${where === undefined ? '' : ` ${meant} can be read ${where}`}`;
}

interface SecretUse {
  /** The kind of the task. */
  tool?: string;
  /** The field whose template gives the name. */
  byData?: string;
}

function declare(name: string, names: readonly string[], { tool = '', byData }: SecretUse): string {
  const write = byData === undefined ? '' : `write \`${byData}: ${name}\`, `;
  const yaml = `\`${declarationOf(name, tool, names.length === 0)}\``;
  const where = names.length === 0 ? 'to the document' : 'to its keychain';
  const set = ['woof secret set', name, ...usualFields(tool)].join(' ');
  return `${write}add ${yaml} ${where}, and run \`${set}\``;
}

const CORRECT_TEMPLATE =
  'correct the template, or write {% raw %}{{ … }}{% endraw %} to keep the braces as text';

const templates = {
  badTemplate: (at: Span, message: string, hint?: string) =>
    error('playbook/bad-template', at, message, hint ?? CORRECT_TEMPLATE),
  unknownFilter: (at: Span, message: string, hint?: string) =>
    error('playbook/unknown-filter', at, message, hint),
  unknownTest: (at: Span, message: string, hint?: string) =>
    error('playbook/unknown-test', at, message, hint),
  guardText: (at: Span) =>
    warning(
      'playbook/guard-text',
      at,
      'text around a template makes the guard text, which is nearly always true',
      'put the whole condition inside one {{ … }}',
    ),
  templateKey: (at: Span, key: string) =>
    error(
      'playbook/template-key',
      at,
      `a key cannot be a template, and "${key}" would be taken as it is`,
      'make the map in a template, under a key that is fixed: name: "{{ {key: value} }}"',
    ),
  unknownName: (at: Span, holder: readonly string[], name: string, known: readonly string[]) =>
    warning(
      'playbook/unknown-name',
      at,
      UNKNOWN_IN[holder.join('.')]?.(name) ??
        (holder.length === 0 ? `nothing is called "${name}" here` : `${holder.join('.')} has no "${name}"`),
      foreignHint(holder, name, known) ?? didYouMean(name, known) ?? MAY_BE_ABSENT,
    ),
  unreadableName: (at: Span, name: string, where = READABLE[name] ?? 'elsewhere') =>
    warning('playbook/unreadable-name', at, `\`${name}\` has no value here`, `${name} can be read ${where}`),
  unknownSecret: (at: Span, name: string, names: readonly string[], use: SecretUse = {}) =>
    warning(
      'playbook/unknown-secret',
      at,
      `${use.byData ? `a template gives \`${use.byData}\` the name "${name}", and ` : ''}the keychain declares no "${name}"`,
      didYouMean(name, names) ?? declare(name, names, use),
    ),
  unusedSecret: (at: Span, name: string) =>
    warning('playbook/unused-secret', at, `nothing uses the keychain entry "${name}"`),
};

const storedFields = (entry: string) =>
  `write \`kind: secret\`, and keep its fields in the store: woof secret set ${entry} FIELD`;

const secrets = {
  keychainKind: (at: Span, entry: string, got: string, known: readonly string[]) =>
    error(
      'playbook/keychain-kind',
      at,
      `no keychain kind "${got}"`,
      got === 'credential' ? storedFields(entry) : (didYouMean(got, known) ?? oneOf(known)),
    ),
  plainSecret: (at: Span, entry: string, field: string) =>
    error(
      'playbook/plain-secret',
      at,
      `\`${field}\` of the keychain entry "${entry}" stands in the document as plain text`,
      `leave it out and keep it in the store: woof secret set ${entry} ${field}`,
    ),
  secretInLog: (at: Span, where: string) =>
    error(
      'playbook/secret-in-log',
      at,
      `${where} cannot read the keychain: what it gives is kept in the log`,
      'read the keychain only in the fields of tasks',
    ),
  secretByData: (at: Span, field: string, name: string) =>
    error(
      'playbook/secret-by-data',
      at,
      `a template gives \`${field}\` the name of the keychain entry "${name}", and data must not choose secrets`,
      `write \`${field}: ${name}\`, or say that it is meant: \`${field}: "{{ keychain[…] }}"\``,
    ),
  secretOnCommandLine: (at: Span, field: string) =>
    error(
      'playbook/secret-on-command-line',
      at,
      `\`${field}\` of a container cannot read the keychain: every user of the machine sees command lines`,
      'give it by `env`',
    ),
};

const upgrades = {
  upgradeShape: (at: Span, what: string, expected: string) =>
    error('playbook/upgrade-shape', at, `cannot upgrade: ${what} must be ${expected}`),
  upgradeMisplaced: (at: Span) =>
    error('playbook/upgrade-misplaced', at, 'cannot upgrade: `eval` belongs to a task, not to a step'),
  upgradeCase: (at: Span) =>
    error(
      'playbook/upgrade-case',
      at,
      'cannot upgrade: `case` reacts to events while the step runs, and v10 decides when it has ended',
      'write arcs with `when` under `next` to choose the next step, or rules in spec.policy.rules of a task to judge its outcome',
    ),
  upgradeBoth: (at: Span, older: string, newer: string) =>
    error(
      'playbook/upgrade-both',
      at,
      `cannot upgrade: there is \`${older}\` of the older dialect and \`${newer}\` of v10`,
      'keep one of them',
    ),
  upgradeShared: (at: Span, key: string, reducers: readonly string[]) =>
    error(
      'playbook/upgrade-shared',
      at,
      `cannot upgrade: set_shared.${key} does not say how values become one`,
      `write ${key}: {append: …}, or another of ${list(reducers)}`,
    ),
  upgradeStatus: (at: Span) =>
    error(
      'playbook/upgrade-status',
      at,
      'cannot upgrade: outcome.status is read as a value, and is "ok" where it was "success"',
      "compare it: outcome.status == 'success'",
    ),
  upgradeException: (at: Span) =>
    error(
      'playbook/upgrade-exception',
      at,
      'cannot upgrade: the older dialect does not say what outcome.py.exception holds',
      'use outcome.py.exception_type or outcome.error.message',
    ),
  upgradeAlias: (at: Span, key: string) =>
    error(
      'playbook/upgrade-alias',
      at,
      `cannot upgrade: \`${key}\` comes by an alias or a merge key`,
      'write it out where it is used',
    ),
  upgradeText: (at: Span) =>
    error(
      'playbook/upgrade-text',
      at,
      'cannot upgrade: the text cannot be rewritten without losing something',
      'put comments on lines of their own, and long {…} over several lines without braces',
    ),
  upgradeOutcome: (at: Span) =>
    warning(
      'playbook/upgrade-outcome',
      at,
      'the whole outcome is passed on: its status is "ok" where it was "success"',
    ),
  upgradeAttempts: (at: Span) =>
    warning(
      'playbook/upgrade-attempts',
      at,
      'a retry without `attempts` is made 3 times in all',
      'add attempts',
    ),
  upgradeIdle: (at: Span) =>
    warning('playbook/upgrade-idle', at, 'next_mode without `next` has no effect and is left out'),
};

export const problems = {
  ...shape,
  ...root,
  ...conditions,
  ...policies,
  ...flow,
  ...tools,
  ...templates,
  ...secrets,
  ...upgrades,
};
