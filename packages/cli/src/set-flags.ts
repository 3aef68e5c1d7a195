/** `--set a.b=v`: dots nest, the value is read as YAML. */

import { yamlValue } from '@woof/documents';
import { nearest } from '@woof/expr/nearest';
import {
  encodeJson,
  Float,
  isObject,
  type Json,
  type JsonObject,
  makeFloat,
  type Plan,
  plainNumber,
} from '@woof/net';
import { UserError } from './user-error.ts';

export interface SetOptions {
  /** An existing value keeps its type: parameters of a notebook. */
  keepTypes?: boolean;
  /** The name of the flag, for messages. */
  flag?: string;
}

export function applySets(
  workload: JsonObject,
  sets: readonly string[],
  options: SetOptions = {},
): JsonObject {
  const { flag = '--set' } = options;
  let merged = workload;
  for (const set of sets) {
    const equals = set.indexOf('=');
    if (equals <= 0)
      throw new UserError(`${flag} ${set}: expected key=value`, `for example ${flag} limit=10`, 2);
    const path = set.slice(0, equals).split('.');
    const text = set.slice(equals + 1);
    const before = options.keepTypes ? typedValueAt(workload, path, set) : undefined;
    merged = assign(
      merged,
      path,
      typeof before === 'string' ? text : checked(set, before, parsedValue(flag, set, text)),
    );
  }
  return merged;
}

/** The header's value at this path; a dot may lead into a map or into an absent value, not into a list or a scalar. */
function typedValueAt(workload: JsonObject, path: readonly string[], set: string): Json | undefined {
  let value: Json | undefined = workload;
  for (const [i, key] of path.entries()) {
    if (value === undefined || value === null) return undefined;
    if (!isObject(value))
      throw new UserError(
        `--set ${set}: "${path.slice(0, i).join('.')}" is ${kindOf(value)} in the header and has no key "${key}"`,
        Array.isArray(value)
          ? `set the whole list: --set '${path.slice(0, i).join('.')}=[…]'`
          : 'leave this --set out',
        2,
      );
    value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  return isObject(value)
    ? 'a map'
    : value === null
      ? 'null'
      : `a ${plainNumber(value) === undefined ? typeof value : 'number'}`;
}

function checked(set: string, before: Json | undefined, value: Json): Json {
  if (before === undefined || before === null) return value;
  if (kindOf(value) === kindOf(before)) return isFloat(before) ? asFloat(value) : value;
  throw new UserError(
    `--set ${set}: expected ${kindOf(before)}, as in the header`,
    `the header has ${encodeJson(before)}`,
    2,
  );
}

const isFloat = (value: Json): boolean =>
  value instanceof Float || (typeof value === 'number' && !Number.isInteger(value));

/** Unless it is an integer beyond all floats. */
function asFloat(value: Json): Json {
  const number = Number(value);
  return Number.isFinite(number) ? makeFloat(number) : value;
}

/**
 * `--set nmae=Ada`: keys that the document does not declare, and that are close to a declared one or appear nowhere in
 * it.
 */
export function unknownSets(
  { workload, kind }: Pick<Plan, 'workload' | 'kind'>,
  sets: readonly string[],
  text: string,
): string[] {
  const subject = kind === 'notebook' ? 'the header has no parameter' : 'the workload declares no';
  return sets.flatMap((set) => {
    const [key = ''] = set.split(/[.=]/, 1);
    if (Object.hasOwn(workload, key)) return [];
    const near = nearest(key, Object.keys(workload));
    if (near === undefined && mentions(text, key)) return [];
    const more =
      near === undefined ? ', and nothing in the document mentions it' : `; did you mean "${near}"?`;
    return [`--set ${key}: ${subject} "${key}"${more}`];
  });
}

const mentions = (text: string, key: string): boolean =>
  new RegExp(`(?<!\\w)${key.replaceAll(/[^\w]/g, '\\$&')}(?!\\w)`).test(text);

function parsedValue(flag: string, set: string, text: string): Json {
  const { value, problem } = yamlValue(text);
  if (value !== undefined) return value;
  const { code, message, hint } = problem!;
  if (code === 'yaml/not-json') throw new UserError(`${flag} ${set}: ${message}`, hint, 2);
  throw new UserError(
    `${flag} ${set}: the value is not YAML (${message})`,
    `quote the value: ${flag} 'key="…"'`,
    2,
  );
}

function assign(target: JsonObject, [key = '', ...rest]: string[], value: Json): JsonObject {
  const inner = Object.hasOwn(target, key) ? target[key] : undefined;
  const next = rest.length === 0 ? value : assign(isObject(inner) ? inner : {}, rest, value);
  return { ...target, [key]: next };
}
