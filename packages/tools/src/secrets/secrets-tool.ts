/**
 * Checks whether a secret exists. The worker replaces `credential` by the entry that `name` refers to. A task's result
 * is in the log, so it contains only names. To use a value, write `{{ keychain.name.field }}` in the fields of other
 * tasks.
 */
import { failure, isObject, type Json, type Outcome } from '@woof/net';
import { FieldFault, fault, quoted, textField } from '../fields.ts';
import { settle } from '../settle.ts';
import type { Tool, ToolCall } from '../tool.ts';
import { secretsSchema } from './secrets-schema.ts';

export const secretsTool: Tool = {
  schema: secretsSchema,
  run: (call, { signal }) => settle('secrets', signal, () => look(call)),
};

function look({ input }: ToolCall): Outcome {
  const name = textField(input, 'name');
  const { credential = null } = input;
  if (name === undefined && credential === null)
    throw new FieldFault('"name" is missing: write the name of a keychain entry');
  const wanted = fieldsOf(input.fields);
  if (!isObject(credential)) {
    const fix = 'declare it under "keychain" at the root of the playbook';
    return failure('not_found', `secrets: the keychain has no entry ${quoted(name ?? '')}; ${fix}`);
  }
  const fields = Object.keys(credential).sort();
  const lacking = wanted.filter((field) => !fields.includes(field));
  if (lacking.length > 0) {
    const message = `secrets: the entry ${quoted(name ?? '')} has no ${lacking.map(quoted).join(', ')}`;
    return failure('not_found', `${message}; it has ${fields.join(', ')}`);
  }
  return { status: 'ok', result: { ...(name === undefined ? {} : { name }), fields } };
}

function fieldsOf(value: Json | undefined): string[] {
  const list = value ?? [];
  if (Array.isArray(list) && list.every((each): each is string => typeof each === 'string')) return list;
  throw fault('fields', 'a list of names', value);
}
