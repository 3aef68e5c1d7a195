/** Suggests what to write if code uses a name that templates of its task know, but that was not passed to it. */
import type { JsonObject, Outcome } from '@woof/net';
import type { ToolCall } from '../tool.ts';

const MISSING = /^(?:NameError: name|TypeError: main\(\) missing .*?:) '(?<name>\w+)'/;

export async function explainMissing(outcome: Outcome, call: ToolCall): Promise<Outcome> {
  const { error } = outcome;
  const name = MISSING.exec(error?.message ?? '')?.groups?.name;
  if (!error || name === undefined) return outcome;
  const readable = await readableIn(call);
  if (!Object.hasOwn(readable, name)) return outcome;
  const fix = `code receives only its arguments; add \`args: {${name}: "{{ ${name} }}"}\` to the task`;
  return { ...outcome, error: { ...error, message: `${error.message}; ${fix}` } };
}

/** A context that cannot be read gives no hint. */
async function readableIn(call: ToolCall): Promise<JsonObject> {
  try {
    return (await call.context?.()) ?? {};
  } catch {
    return {};
  }
}
