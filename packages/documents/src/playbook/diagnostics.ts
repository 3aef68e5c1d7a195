/**
 * Everything that can be wrong with a playbook: one named constructor per problem, so that each message is written
 * once and each code has its entry in docs/diagnostics.md.
 */

import { didYouMean } from '@woof/expr/nearest';
import { declarationOf, usualFields } from '@woof/net';
import { hintWith } from '../meant-word.ts';
import {
  arrows,
  cannotBe,
  cannotHave,
  error,
  hasNo,
  list,
  mustBe,
  oneOf,
  oneOfFields,
  shouldBe,
  subject,
  warning,
} from '../problem.ts';
import type { Span } from '../yaml/source.ts';
import { insteadOfWord, isSecretService } from './foreign-fields.ts';
import { insteadOfKind, OTHER_SERVICE } from './foreign-kinds.ts';
import { meantBy } from './foreign-names.ts';
import { conditionAdvice, insteadOf, isProse, meaningOf, specPath } from './misplaced-keys.ts';

/** What other tools call the fields of a loop. */
const fieldHint = hintWith({ over: 'in', items: 'in', as: 'iterator', var: 'iterator', item: 'iterator' });

const UPGRADE = 'convert the file with `woof upgrade FILE`, or run it with `--upgrade`';
const orUpgrade = (instead: string) => `${instead}, ${UPGRADE}`;

/** By the type that a field requires. */
const LOOSE_FIX: Readonly<Record<string, string>> = {
  text: 'put it in quotes',
  'a number': 'write the number without quotes',
  'a boolean': 'write true or false without quotes',
};

const shape = {
  unquotedTemplate: (at: Span) =>
    error(
      'playbook/unquoted-template',
      at,
      'YAML reads an unquoted {{ … }} as a map, not as a template',
      'put the template in quotes: "{{ … }}"',
    ),
  wrongType: (at: Span, what: string, expected: string, got: string, hint?: string) =>
    error('playbook/wrong-type', at, mustBe(what, expected, got), hint),
  looseType: (at: Span, what: string, expected: string, got: string) =>
    warning('playbook/loose-type', at, shouldBe(what, expected, got), LOOSE_FIX[expected]),
  notOneOf: (at: Span, what: string, got: string, allowed: readonly string[]) =>
    error(
      'playbook/not-one-of',
      at,
      cannotBe(what, got),
      insteadOfWord(what, got) ?? didYouMean(got, allowed) ?? oneOf(allowed),
    ),
  missing: (at: Span, what: string, field: string, hint = `add \`${field}: …\``) =>
    error('playbook/missing-field', at, hasNo(what, field), hint),
  unknownKey: (at: Span, what: string, key: string, known: readonly string[]) =>
    misplaced(at, what, key, known) ??
    error(
      'playbook/unknown-key',
      at,
      `${subject(what)} has no field "${key}"`,
      fieldHint(key, known) ?? oneOfFields(known),
    ),
  foreignKey: (at: Span, what: string, key: string, instead: string) =>
    error('playbook/foreign-key', at, cannotHave(what, key), instead),
  ignoredKey: (at: Span, what: string, key: string, known: readonly string[]) =>
    warning(
      'playbook/ignored-key',
      at,
      `Woof ignores the field "${key}" of ${subject(what)}`,
      didYouMean(key, known) ?? oneOfFields(known),
    ),
  tooLong: (at: Span, what: string, most: number, got: number) =>
    error(
      'playbook/too-long',
      at,
      `${subject(what)} must have at most ${most} characters, got ${got}`,
      'shorten it',
    ),
  badNumber: (at: Span, what: string, expected: string, got: string) =>
    error('playbook/bad-number', at, mustBe(what, expected, got)),
};

const root = {
  noApiVersion: (at: Span) =>
    warning(
      'playbook/no-api-version',
      at,
      'the playbook has no `apiVersion`',
      'add `apiVersion: noetl.io/v10`',
    ),
  apiVersion: (at: Span, got: string, known: readonly string[]) =>
    error('playbook/api-version', at, `Woof does not support \`apiVersion\` "${got}"`, oneOf(known)),
  wrongKind: (at: Span, got: string) =>
    error('playbook/wrong-kind', at, `\`kind\` must be "Playbook", got "${got}"`, 'write `kind: Playbook`'),
  rootVars: (at: Span) =>
    error(
      'playbook/root-vars',
      at,
      'a playbook cannot have `vars` at its root',
      'put inputs in `workload`, and keep state in `ctx` with `set_ctx`',
    ),
  executorCredentials: (at: Span, key: string) =>
    error(
      'playbook/executor-credentials',
      at,
      `\`executor\` cannot contain credentials, got \`${key}\``,
      'declare them in `keychain` at the root of the playbook',
    ),
  labelsApart: (at: Span, label: string, first: string, other: string) =>
    error(
      'playbook/labels-apart',
      at,
      `\`profile: local\` keeps all jobs of a run on one worker, but the steps need both ${label}: ${first} and ${label}: ${other}`,
      'give the steps the same labels, or use `profile: distributed`',
    ),
  noEntry: (at: Span) =>
    error(
      'playbook/no-entry',
      at,
      'the playbook has no first step: no step is named "start", and `executor.spec.entry_step` is not set',
      'name the first step "start", or set `executor.spec.entry_step` to its name',
    ),
  unknownEntry: (at: Span, name: string, steps: Iterable<string>) =>
    error(
      'playbook/unknown-entry',
      at,
      `no step "${name}" for \`entry_step\``,
      didYouMean(name, steps) ?? `the steps are ${list(steps)}`,
    ),
  noSteps: (at: Span) =>
    error('playbook/no-steps', at, '`workflow` has no steps', 'add a step named "start"'),
  duplicateName: (at: Span, what: string, name: string, firstLine: number) =>
    error(
      'playbook/duplicate-name',
      at,
      `${what} "${name}" is already defined on line ${firstLine}`,
      'rename one of the two',
    ),
  workloadTemplate: (at: Span) =>
    warning(
      'playbook/workload-template',
      at,
      '`workload` is plain data: Woof never evaluates this template',
      'move the template to where the value is used: `args` or a field of a task',
    ),
};

const conditions = {
  stepWhen: (at: Span) =>
    error(
      'playbook/step-when',
      at,
      'a step cannot have `when`',
      orUpgrade('write `spec.policy.admit.rules`'),
    ),
  legacyEval: (at: Span) =>
    error(
      'playbook/legacy-eval',
      at,
      '`eval` belongs to the older dialect',
      orUpgrade('write `spec.policy.rules`'),
    ),
  expr: (at: Span) =>
    error('playbook/expr', at, '`expr` belongs to the older dialect', orUpgrade('write `when`')),
  conditionKey: (at: Span, key: string, what: string, instead: string) =>
    error('playbook/condition-key', at, cannotHave(what, key), instead),
  knobOutsideSpec: (at: Span, key: string, what: string, path: string) =>
    error(
      'playbook/knob-outside-spec',
      at,
      `\`${key}\` of ${subject(what)} must be inside its \`spec\``,
      `move it to \`${path}\``,
    ),
  policyOutsideSpec: (at: Span, what: string) =>
    error(
      'playbook/policy-outside-spec',
      at,
      `\`policy\` of ${what} must be inside its \`spec\``,
      'move it to `spec.policy`',
    ),
};

/** The key that an unknown key is a typo or another word for. */
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
    error(
      'playbook/policy-shape',
      at,
      `the policy of a task must be a map with a list of \`rules\`, got ${got}`,
      'write `policy: {rules: [{when: …, then: {do: …}}]}`',
    ),
  ruleShape: (at: Span) =>
    error(
      'playbook/rule-shape',
      at,
      'a rule must have either `when` and `then`, or only `else`',
      'write `{when: …, then: …}` or `{else: {then: …}}`',
    ),
  noDo: (at: Span) =>
    error(
      'playbook/missing-do',
      at,
      'the rule has no `then.do`',
      'write `then: {do: …}`, inside `else` too, with retry, jump, continue, break, fail or skip',
    ),
  unknownDo: (at: Span, got: string, known: readonly string[]) =>
    error('playbook/unknown-do', at, `no directive "${got}"`, didYouMean(got, known) ?? oneOf(known)),
  controlOutsideTask: (at: Span, what: string) =>
    error(
      'playbook/control-outside-task',
      at,
      `${subject(what)} cannot contain \`do\``,
      'move it to `spec.policy.rules` of a task: only these rules control a pipeline',
    ),
  noAllow: (at: Span) =>
    error(
      'playbook/missing-allow',
      at,
      'the admission rule has no `then.allow`',
      'write `then: {allow: true}` or `then: {allow: false}`',
    ),
  jumpNowhere: (at: Span) =>
    error(
      'playbook/jump-without-to',
      at,
      'the jump has no `to`',
      'add `to: LABEL` with the label of a task of this step',
    ),
  unknownLabel: (at: Span, got: string, labels: Iterable<string>) =>
    error(
      'playbook/unknown-label',
      at,
      `this step has no task "${got}"`,
      didYouMean(got, labels) ?? `its tasks are ${list(labels)}`,
    ),
  reducer: (at: Span, key: string, reducers: readonly string[]) =>
    error(
      'playbook/bad-reducer',
      at,
      `\`set_shared.${key}\` must be a map with exactly one reducer`,
      `write \`${key}: {REDUCER: …}\` with one of ${list(reducers)}`,
    ),
  manyElse: (at: Span) =>
    error('playbook/many-else', at, 'these rules already have an `else`', 'keep one of them'),
  elseNotLast: (at: Span) =>
    warning(
      'playbook/else-not-last',
      at,
      'Woof evaluates `else` after all other rules, but other rules follow it here',
      'move it to the end',
    ),
  noElse: (at: Span) =>
    warning(
      'playbook/no-else',
      at,
      'the rules have no `else`: the pipeline continues after an outcome that no rule matches, even after an error',
      'add `- else: {then: {do: fail}}`, or another directive',
    ),
  retryWithoutAttempts: (at: Span) =>
    warning(
      'playbook/retry-without-attempts',
      at,
      'a retry without `attempts` executes the task at most 3 times',
      'add `attempts`, which counts the first execution too',
    ),
  outcomeSuccess: (at: Span) =>
    warning(
      'playbook/outcome-success',
      at,
      '`outcome.status` is "ok" or "error", never "success"',
      orUpgrade('write "ok"'),
    ),
  idleField: (at: Span, field: string, needs: string) =>
    warning('playbook/idle-field', at, `\`${field}\` has no effect without ${needs}`, 'remove it'),
};

/** The event that the author most likely means by the one in the guard. */
function insteadOfEvent(guard: string, ends: readonly string[]): string | undefined {
  const named = /['"]((?:step|loop|call)\.?\w*)['"]/.exec(guard)?.[1] ?? '';
  if (DONE_EVENTS.includes(named)) {
    const done = ends.find((end) => end !== 'step.failed');
    return `the step has ${done === 'loop.done' ? 'a' : 'no'} loop, so compare with "${done}"`;
  }
  return didYouMean(named, ends);
}

const DONE_EVENTS = ['step.done', 'call.done', 'step.exit', 'loop.done'];

const flow = {
  legacyNext: (at: Span, got: string, isOlder: boolean) =>
    error(
      'playbook/legacy-next',
      at,
      `\`next\` must be a map with \`arcs\`, got ${got}`,
      isOlder ? orUpgrade('write `next: {arcs: [{step: …}]}`') : 'write `next: {arcs: [{step: …}]}`',
    ),
  nextMode: (at: Span) =>
    error(
      'playbook/next-mode',
      at,
      '`spec.next_mode` belongs to the older dialect',
      orUpgrade('write `next.spec.mode`'),
    ),
  unknownStep: (at: Span, got: string, steps: Iterable<string>) =>
    error(
      'playbook/unknown-step',
      at,
      `no step "${got}"`,
      didYouMean(got, steps) ?? `the steps are ${list(steps)}`,
    ),
  deadEnd: (at: Span, step: string) =>
    warning(
      'playbook/empty-step',
      at,
      `step "${step}" has neither \`tool\` nor \`next\`, so it only ends a path`,
      'add a `tool`, or remove the step',
    ),
  unreachable: (at: Span, step: string) =>
    warning(
      'playbook/unreachable-step',
      at,
      `no arc leads from the first step to step "${step}"`,
      'add an arc, or remove the step',
    ),
  deadArc: (at: Span, step: string, ends: readonly string[], guard: string) =>
    warning(
      'playbook/dead-arc',
      at,
      `this arc never fires: step "${step}" ends with ${ends.map((end) => `"${end}"`).join(' or ')}`,
      insteadOfEvent(guard, ends) ?? 'correct the condition, or remove the arc',
    ),
  falseGuard: (at: Span) =>
    warning(
      'playbook/false-guard',
      at,
      'this arc never fires: its `when` is always false',
      'correct the condition, or remove the arc',
    ),
  shadowedArc: (at: Span, line: number) =>
    warning(
      'playbook/shadowed-arc',
      at,
      `this arc never fires: the arc on line ${line} matches whenever this one does, and only the first match fires`,
      'move this arc up, or set `next.spec.mode: inclusive`',
    ),
  shadowedStep: (at: Span, step: string) =>
    warning(
      'playbook/shadowed-step',
      at,
      `templates cannot read the result of step "${step}": the name "${step}" means something else there`,
      'rename the step',
    ),
  loopIn: (at: Span, got: string) =>
    error(
      'playbook/loop-in',
      at,
      `\`loop.in\` must be a list or a template that renders to a list, got ${got}`,
      'write `in: "{{ … }}"`',
    ),
  badIterator: (at: Span, got: string) =>
    error(
      'playbook/bad-iterator',
      at,
      `"${got}" cannot be the name of an iterator`,
      'use letters, digits and `_`, and no name that templates already have, such as index, parent, iter, loop, args or ctx',
    ),
  failureWithoutLoop: (at: Span) =>
    error(
      'playbook/failure-without-loop',
      at,
      '`policy.failure` is about failed iterations, and this step has no loop',
      'to handle a failure of the step, write an arc: {step: …, when: "{{ event.name == \'step.failed\' }}"}',
    ),
  parallelSetCtx: (at: Span) =>
    warning(
      'playbook/parallel-set-ctx',
      at,
      'parallel iterations write `ctx` here: an iteration fails if it changes a key that another one has set',
      'use `set_iter`, or `set_shared` with a reducer',
    ),
};

const tools = {
  unknownKind: (at: Span, got: string, kinds: readonly string[]) =>
    error(
      'playbook/unknown-kind',
      at,
      `no tool kind "${got}"`,
      insteadOfKind(got) ?? didYouMean(got, kinds) ?? `the tool kinds are ${list(kinds)}; ${OTHER_SERVICE}`,
    ),
  errorAtEnd: (at: Span) =>
    error(
      'playbook/no-next-is-error',
      at,
      '`no_next_is_error` can only be false: a branch that no arc continues ends without an error',
      'to fail instead, add an arc without `when` to a step whose task fails',
    ),
  noKind: (at: Span) =>
    error('playbook/missing-kind', at, 'the task has no `kind`', 'add `kind: …`, for example `kind: http`'),
  taskShape: (at: Span, got: string) =>
    error(
      'playbook/task-shape',
      at,
      `a task must be a map with \`kind\`, or \`label: {kind: …}\`, got ${got}`,
      'write `tool: {kind: …}`, or a list of `- label: {kind: …}`',
    ),
  needs: (at: Span, kind: string, group: readonly string[]) =>
    error(
      'playbook/missing-input',
      at,
      `a task of kind ${kind} needs ${group.map((field) => `\`${field}\``).join(' or ')}`,
      'add it with a value',
    ),
  sameField: (at: Span, field: string, first: string) =>
    error(
      'playbook/same-field',
      at,
      `\`${field}\` and \`${first}\` of this task set the same value`,
      'keep one of them',
    ),
  unknownBlock: (at: Span, got: string, blocks: Iterable<string>) =>
    error(
      'playbook/unknown-block',
      at,
      `the workbook has no task "${got}"`,
      didYouMean(got, blocks) ?? `its tasks are ${list(blocks)}`,
    ),
  circularBlock: (at: Span, circle: readonly string[]) =>
    error(
      'playbook/circular-block',
      at,
      `workbook tasks call each other in a cycle: ${arrows(circle)}`,
      'give one of them a tool kind other than `workbook`',
    ),
  specTooLarge: (at: Span, limit: number) =>
    error(
      'playbook/spec-too-large',
      at,
      `the specs that tasks inherit add up to more than ${limit} values`,
      'set less in the outer layers, or put data in `workload`',
    ),
  unknownKnob: (at: Span, key: string, what: string, known: readonly string[]) =>
    misplaced(at, what, key, known) ??
    error(
      'playbook/unknown-knob',
      at,
      `${subject(what)} has no setting "${key}"`,
      didYouMean(key, known) ?? oneOfFields(known),
    ),
};

/** Why a name has no value, if there is more to say than that it is not defined. */
const UNKNOWN_IN: Readonly<Record<string, (name: string) => string>> = {
  ctx: (name) => `no step sets ctx.${name}`,
  args: (name) => `no arc or step passes args.${name}`,
  input: (name) => `no arc or step passes input.${name}`,
  vars: (name) => `no rule of this step sets vars.${name}`,
  results: (name) => `no task "${name}" of this step has a result here`,
  iter: (name) => `iter.${name} is not defined here`,
};

const MAY_BE_ABSENT = 'if the value may be absent, use `| default(…)` or `is defined`';
const IN_LOOPS = 'in the tasks of a step with a loop';
/** Where names can be read that do not exist everywhere. */
const READABLE: Readonly<Record<string, string>> = {
  outcome: 'in the rules of tasks (an arc reads `event.name`, `event.payload` and the results of steps)',
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
  return `did you mean "${meant}"?${where === undefined ? '' : ` You can read ${meant} ${where}`}`;
}

interface SecretUse {
  /** The kind of the task. */
  tool?: string;
  /** The field whose template provides the name. */
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
      'the characters outside {{ … }} turn this condition into text, and almost every text is true',
      'put the whole condition inside one {{ … }}',
    ),
  templateKey: (at: Span, key: string) =>
    error(
      'playbook/template-key',
      at,
      `a key cannot be a template: Woof would use "${key}" as it is written`,
      'build the map in a template under a fixed key: name: "{{ {key: value} }}"',
    ),
  unknownName: (at: Span, holder: readonly string[], name: string, known: readonly string[]) =>
    warning(
      'playbook/unknown-name',
      at,
      UNKNOWN_IN[holder.join('.')]?.(name) ??
        (holder.length === 0 ? `"${name}" is not defined here` : `${holder.join('.')} has no "${name}"`),
      foreignHint(holder, name, known) ?? didYouMean(name, known) ?? MAY_BE_ABSENT,
    ),
  unreadableName: (at: Span, name: string, where = READABLE[name] ?? 'elsewhere') =>
    warning('playbook/unreadable-name', at, `\`${name}\` has no value here`, `you can read it ${where}`),
  unknownSecret: (at: Span, name: string, names: readonly string[], use: SecretUse = {}) =>
    warning(
      'playbook/unknown-secret',
      at,
      use.byData
        ? `the template of \`${use.byData}\` renders as "${name}", and the keychain has no entry "${name}"`
        : `the keychain has no entry "${name}"`,
      didYouMean(name, names) ?? declare(name, names, use),
    ),
  unusedSecret: (at: Span, name: string) =>
    warning('playbook/unused-secret', at, `nothing uses the keychain entry "${name}"`, 'remove it'),
};

const storedFields = (entry: string) =>
  `write \`kind: secret\`, and keep its fields in the store: woof secret set ${entry} FIELD`;

const secrets = {
  keychainKind: (at: Span, entry: string, got: string, known: readonly string[]) =>
    error(
      'playbook/keychain-kind',
      at,
      `no keychain kind "${got}"`,
      isSecretService(got) ? storedFields(entry) : (didYouMean(got, known) ?? oneOf(known)),
    ),
  plainSecret: (at: Span, entry: string, field: string) =>
    error(
      'playbook/plain-secret',
      at,
      `the document contains \`${field}\` of the keychain entry "${entry}" as plain text`,
      `remove it, and store the value with \`woof secret set ${entry} ${field}\``,
    ),
  secretInLog: (at: Span, where: string) =>
    error(
      'playbook/secret-in-log',
      at,
      `${where} cannot read the keychain: Woof would record its value in the log`,
      'read the keychain only in the fields of tasks',
    ),
  secretByData: (at: Span, field: string, name: string) =>
    error(
      'playbook/secret-by-data',
      at,
      `the template of \`${field}\` renders as the keychain entry "${name}", and data must not choose secrets`,
      `write \`${field}: ${name}\`, or \`${field}: "{{ keychain[…] }}"\` if data may choose here`,
    ),
  secretOnCommandLine: (at: Span, field: string) =>
    error(
      'playbook/secret-on-command-line',
      at,
      `\`${field}\` of a container cannot read the keychain: every user of the machine can see command lines`,
      'pass the value in `env`',
    ),
};

const upgrades = {
  upgradeShape: (at: Span, what: string, expected: string) =>
    error('playbook/upgrade-shape', at, `cannot upgrade: ${what} must be ${expected}`),
  upgradeMisplaced: (at: Span) =>
    error(
      'playbook/upgrade-misplaced',
      at,
      'cannot upgrade: a step cannot have `eval`',
      'move it to the task whose outcome it judges',
    ),
  upgradeCase: (at: Span) =>
    error(
      'playbook/upgrade-case',
      at,
      'cannot upgrade: `case` reacts to events while the step runs, and v10 decides only after the step has ended',
      'write arcs with `when` under `next` to choose the next step, or rules in `spec.policy.rules` of a task to judge its outcome',
    ),
  upgradeBoth: (at: Span, older: string, newer: string) =>
    error(
      'playbook/upgrade-both',
      at,
      `cannot upgrade: \`${older}\` of the older dialect and \`${newer}\` of v10 are both set`,
      'keep one of them',
    ),
  upgradeShared: (at: Span, key: string, reducers: readonly string[]) =>
    error(
      'playbook/upgrade-shared',
      at,
      `cannot upgrade: \`set_shared.${key}\` does not say how to combine the values of several iterations`,
      `write \`${key}: {REDUCER: …}\` with one of ${list(reducers)}`,
    ),
  upgradeStatus: (at: Span) =>
    error(
      'playbook/upgrade-status',
      at,
      'cannot upgrade: this reads `outcome.status` as a value, which is "ok" in v10 and was "success" before',
      "compare it instead: outcome.status == 'success', which the upgrade converts",
    ),
  upgradeException: (at: Span) =>
    error(
      'playbook/upgrade-exception',
      at,
      'cannot upgrade: the older dialect does not define what `outcome.py.exception` contains',
      'use `outcome.py.exception_type` or `outcome.error.message`',
    ),
  upgradeAlias: (at: Span, key: string) =>
    error(
      'playbook/upgrade-alias',
      at,
      `cannot upgrade: \`${key}\` comes from an alias or a merge key`,
      'write it out where it is used',
    ),
  upgradeText: (at: Span) =>
    error(
      'playbook/upgrade-text',
      at,
      'cannot upgrade: rewriting the file would lose a part of its text',
      'put comments on their own lines, and write long {…} over several lines without braces',
    ),
  upgradeOutcome: (at: Span) =>
    warning(
      'playbook/upgrade-outcome',
      at,
      'this passes on the whole `outcome`, whose status is "ok" in v10 and was "success" before',
      'check what reads it',
    ),
  upgradeAttempts: (at: Span) =>
    warning(
      'playbook/upgrade-attempts',
      at,
      'a retry without `attempts` executes the task at most 3 times',
      'add `attempts`',
    ),
  upgradeIdle: (at: Span) =>
    warning(
      'playbook/upgrade-idle',
      at,
      '`next_mode` has no effect without `next`, so the upgrade removes it',
    ),
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
