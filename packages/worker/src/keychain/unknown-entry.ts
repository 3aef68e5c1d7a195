/** A name that the keychain does not declare: the error says what to write and which secret to set. */
import { isTemplate } from '@woof/expr';
import { nearest } from '@woof/expr/nearest';
import {
  declarationOf,
  failure,
  fieldsUsed,
  type Json,
  type Outcome,
  type Plan,
  type RenderError,
  type Task,
} from '@woof/net';
import type { Parked } from '@woof/tools';

/** Anything longer may be the secret itself. */
const LIKE_A_NAME = /^[\w.-]{1,32}$/;

/** How a person sets a secret in the place where the task runs. */
export type HowToSet = (name: string, fields: readonly string[]) => string;

/** A word in `auth` that does not name an entry reaches the tool unchanged. If the tool refuses it, this says why. */
export function tellUnknownEntry(
  outcome: Outcome | Parked,
  plan: Plan,
  task: Task,
  howToSet: HowToSet,
): Outcome | Parked {
  if (outcome.status !== 'error' || outcome.error?.kind !== 'schema') return outcome;
  if (!/"(auth|credential)"/.test(outcome.error.message)) return outcome;
  const names = plan.keychain.map(({ name }) => name);
  const isUnknown = (value: Json | undefined): value is string =>
    typeof value === 'string' && LIKE_A_NAME.test(value) && !isTemplate(value) && !names.includes(value);
  const key = ['auth', 'credential'].find((each) => isUnknown(task.input[each]));
  if (key === undefined) return outcome;
  const name = String(task.input[key]);
  return failure(
    'schema',
    `${task.kind}: \`${key}: ${name}\` names a keychain entry, but ${advice(name, plan, task.kind, howToSet)}`,
  );
}

/** The same for a template that reads an undeclared entry. */
export function tellUndeclared(error: RenderError, plan: Plan, howToSet: HowToSet): string {
  const [, name] = /^keychain\.(\w+)/.exec(error.expression) ?? [];
  const isKnown = name === undefined || plan.keychain.some((entry) => entry.name === name);
  if (isKnown || error.code !== 'expr/undefined') return error.message;
  return `${error.message}; ${advice(name, plan, '', howToSet)}`;
}

function advice(name: string, plan: Plan, tool: string, howToSet: HowToSet): string {
  const names = plan.keychain.map((entry) => entry.name);
  const near = nearest(name, names);
  const known = names.length > 0 ? `it has: ${names.join(', ')}` : 'it has none';
  const undeclared = `the keychain of the document does not declare it (${known})`;
  if (near !== undefined) return `${undeclared}; did you mean "${near}"?`;
  const yaml = declarationOf(name, tool, names.length === 0);
  const where = names.length === 0 ? 'add to the document' : 'add to its keychain';
  const set = howToSet(name, fieldsUsed(plan, name));
  return `${undeclared}; ${where}: ${yaml}; then ${set}`;
}
