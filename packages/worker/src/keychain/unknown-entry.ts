/** A name that the keychain does not declare: the error says what to write and which secret to set. */
import { isTemplate } from '@woof/expr';
import { nearest } from '@woof/expr/nearest';
import {
  declarationOf,
  failure,
  fieldsUsed,
  type Json,
  type JsonObject,
  type Outcome,
  type Plan,
  type RenderError,
  type Task,
  textInWorkload,
  usualFields,
} from '@woof/net';
import type { Parked } from '@woof/tools';

/** Anything longer may be the secret itself. */
const LIKE_A_NAME = /^[\w.-]{1,32}$/;

/** How a person sets a secret in the place where the task runs. */
export type HowToSet = (name: string, fields: readonly string[]) => string;

/**
 * A word in `auth` that does not name an entry reaches the tool unchanged. If the tool refuses it, this says why.
 * `input`: the fields as the tool received them.
 */
export function tellUnknownEntry(
  outcome: Outcome | Parked,
  plan: Plan,
  task: Task,
  input: JsonObject,
  howToSet: HowToSet,
): Outcome | Parked {
  if (outcome.status !== 'error' || outcome.error?.kind !== 'schema') return outcome;
  if (!/"(auth|credential)"/.test(outcome.error.message)) return outcome;
  const names = plan.keychain.map(({ name }) => name);
  for (const key of ['auth', 'credential']) {
    const written = task.input[key];
    const name = nameMeant(written, input[key], plan.workload);
    if (name === undefined || names.includes(name)) continue;
    const why = advice(name, plan, task.kind, howToSet);
    const told =
      name === written
        ? `\`${key}: ${name}\` names a keychain entry, but ${why}`
        : `the template of \`${key}\` renders as "${name}": write \`${key}: ${name}\`; ${why}`;
    return failure('schema', `${task.kind}: ${told}`);
  }
  return outcome;
}

/** The text of a template is shown only if the document itself contains it: other data may be secret. */
function nameMeant(
  written: Json | undefined,
  got: Json | undefined,
  workload: JsonObject,
): string | undefined {
  if (typeof written !== 'string') return undefined;
  const name = isTemplate(written) ? textInWorkload(written, workload) : written;
  return name !== undefined && LIKE_A_NAME.test(name) && name === got ? name : undefined;
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
  const used = fieldsUsed(plan, name);
  const set = howToSet(name, used.length > 0 ? used : usualFields(tool));
  return `${undeclared}; ${where}: ${yaml}; then ${set}`;
}
