import { isObject, type JsonObject } from '@woof/net';

/** The input of a task, merged with what the call of a named task passes to it. */
export function withGiven(input: JsonObject, given: JsonObject | undefined): JsonObject {
  if (given === undefined) return input;
  return { ...input, args: { ...(isObject(input.args) ? input.args : {}), ...given } };
}
