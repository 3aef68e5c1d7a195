/** Checks that need the whole plan: mostly for what is legal but probably not intended. */

import { isTemplate } from '@woof/expr';
import { type Diagnostic, type Json, type Plan, RESERVED_NAMES, type Task } from '@woof/net';
import type { Span } from '../yaml/source.ts';
import type { MapNode } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import { warnDeadArcs } from './lint-arcs.ts';
import { warnUnknownNames } from './lint-names.ts';
import { type Doubts, doubtsOf, NO_DOUBTS, strayTemplates } from './names-in-doubt.ts';
import type { Reading, TemplateRead } from './reading.ts';
import { refuseSecretsInLog } from './secrets-in-log.ts';

export interface Places {
  steps: ReadonlyMap<string, Span>;
  keychain: ReadonlyMap<string, Span>;
}

/** Errors that remove no step, task, argument or key of `ctx` from the plan. */
const LEAVES_NAMES: readonly string[] = [
  'playbook/bad-template',
  'playbook/unknown-filter',
  'playbook/unknown-test',
  'playbook/keychain-kind',
  'playbook/plain-secret',
  'playbook/secret-in-log',
  'playbook/secret-by-data',
];

export function lintPlan(reading: Reading, root: MapNode, plan: Plan, places: Places): void {
  warnUnknownSecrets(reading, places);
  refuseSecretsInLog(reading, plan);
  for (const [name, at] of places.steps)
    if (RESERVED_NAMES.has(name)) reading.report(problems.shadowedStep(at, name));
  const errors = reading.diagnostics.filter((each) => each.severity === 'error');
  const doubts = errors.length === 0 ? NO_DOUBTS : doubtsAfter(errors, reading, root);
  if (doubts) warnUnknownNames(reading, plan, doubts);
  // Refused parts are missing from the plan: steps after them would look unreachable, and entries that they use unused.
  if (errors.length > 0) return;
  warnDeadArcs(reading, plan);
  warnUnreachable(reading, plan, places);
  warnUnusedSecrets(reading, plan, places);
}

function doubtsAfter(errors: readonly Diagnostic[], reading: Reading, root: MapNode): Doubts | undefined {
  const isWhole = errors.every(({ code }) => LEAVES_NAMES.includes(code));
  return isWhole ? strayTemplates(reading, root, errors) : doubtsOf(reading, root, errors);
}

function warnUnreachable(reading: Reading, plan: Plan, places: Places): void {
  const arcs = new Map(plan.steps.map((step) => [step.name, step.next.arcs]));
  const reached = new Set(plan.entry);
  for (const name of reached) for (const arc of arcs.get(name) ?? []) reached.add(arc.step);
  for (const [name, at] of places.steps) {
    if (!reached.has(name)) reading.report(problems.unreachable(at, name));
  }
}

function secretReads(reading: Reading): TemplateRead[] {
  return reading.reads.filter(({ path }) => path[0] === 'keychain');
}

function warnUnknownSecrets(reading: Reading, places: Places): void {
  for (const { path, at } of secretReads(reading)) {
    const name = path[1];
    if (name === undefined || places.keychain.has(name)) continue;
    reading.report(problems.unknownSecret(at, name, [...places.keychain.keys()]));
  }
}

function warnUnusedSecrets(reading: Reading, plan: Plan, places: Places): void {
  const reads = secretReads(reading);
  // `keychain[…]` with a computed name may read any entry.
  if (reads.some(({ path }) => path.length === 1)) return;
  const used = new Set(reads.map(({ path }) => path[1]!));
  for (const task of tasksOf(plan)) collectText([task.input, task.spec], used);
  for (const [name, at] of places.keychain) {
    if (!used.has(name)) reading.report(problems.unusedSecret(at, name));
  }
}

function tasksOf(plan: Plan): Task[] {
  return [...plan.steps.flatMap((step) => step.tasks), ...Object.values(plan.blocks)];
}

/** Tools also take an entry by its bare name: `auth: pg_main`. */
function collectText(value: Json, into: Set<string>): void {
  if (typeof value === 'string') {
    if (!isTemplate(value)) into.add(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) collectText(item, into);
  }
}
