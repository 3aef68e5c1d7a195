/**
 * Kinds from other people's packages, named by the user who runs woof and never by a document.
 *
 * A package exports `tools`: a list of `{schema, create}`, where `create()` returns a `Tool` as in `tool.ts`. Exports
 * are checked here, so that a mistake has a clear message and does not surface in the middle of a run.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type FieldSchema, isObject, type JsonObject, type ToolSchema } from '@woof/net';
import type { Tool } from './tool.ts';
import type { ToolManual } from './tool-manual.ts';

export interface ForeignKind {
  schema: ToolSchema;
  /** For readers. */
  manual?: ToolManual;
  create(): Tool;
}

/** A problem of a package. The message says how to fix it. */
export class KindFault extends Error {}

/** `from` is the folder from whose `node_modules` or files the names are resolved. `taken` are the existing kinds. */
export function loadKinds(names: readonly string[], from: string, taken: readonly string[]): ForeignKind[] {
  const require = createRequire(join(from, 'package.json'));
  const kinds = names.flatMap((name) => kindsOf(name, required(require, name)));
  const seen = new Set(taken);
  for (const { schema } of kinds) {
    if (seen.has(schema.kind))
      throw new KindFault(`the kind "${schema.kind}" already exists: choose another name`);
    seen.add(schema.kind);
  }
  return kinds;
}

function required(require: NodeJS.Require, name: string): unknown {
  try {
    return require(name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_REQUIRE_ESM') {
      throw new KindFault(
        `the package "${name}" is an ES module, which this version of Node cannot load: use Node 20.19 or newer`,
      );
    }
    const [reason = ''] = message.split('\n');
    const fix =
      code === 'MODULE_NOT_FOUND'
        ? ': install it in the directory where you start Woof, or correct WOOF_TOOLS'
        : '';
    throw new KindFault(`Woof cannot load the package "${name}" of WOOF_TOOLS: ${reason}${fix}`);
  }
}

function kindsOf(name: string, exported: unknown): ForeignKind[] {
  const { tools } = exported as { tools?: unknown };
  if (!Array.isArray(tools))
    throw new KindFault(`the package "${name}" must export "tools", a list of {schema, create}`);
  return tools.map((entry: unknown, index) => checked(entry, `tools[${index}] of the package "${name}"`));
}

const TYPES: FieldSchema['type'][] = ['string', 'number', 'boolean', 'object', 'list', 'any'];

function checked(entry: unknown, where: string): ForeignKind {
  const { schema, create, manual } = (isObject(entry) ? entry : {}) as Record<string, unknown>;
  if (typeof create !== 'function')
    throw new KindFault(`${where} must have "create", a function that returns a tool`);
  if (!isObject(schema) || typeof schema.kind !== 'string' || !/^[a-z][a-z0-9_]*$/.test(schema.kind)) {
    throw new KindFault(`${where} must have a schema with "kind", a word in lower case`);
  }
  const fields = isObject(schema.fields) ? Object.entries(schema.fields) : undefined;
  if (!fields) throw new KindFault(`${where} must have a schema with "fields", a map`);
  for (const [field, about] of fields) {
    if (isObject(about) && TYPES.includes(about.type as FieldSchema['type']) && typeof about.doc === 'string')
      continue;
    throw new KindFault(
      `${where}: the field "${field}" must be {type, doc}, and its type must be one of ${TYPES.join(', ')}`,
    );
  }
  return {
    schema: { summary: '', ...schema } as unknown as ToolSchema,
    ...(manual === undefined ? {} : { manual: checkedManual(manual, where) }),
    create: create as () => Tool,
  };
}

function checkedManual(manual: unknown, where: string): ToolManual {
  const {
    about,
    details = [],
    result,
    errors,
    example,
    gives,
  } = (isObject(manual) ? manual : {}) as JsonObject;
  const lists = [about, details, result, errors].every(Array.isArray);
  if (!lists || typeof example !== 'string')
    throw new KindFault(`${where}: its manual must be {about, result, errors} as lists, and example as text`);
  for (const [name, list] of Object.entries({ about, details, result }))
    refuseOther(
      list,
      isProse,
      `${where}: ${name}`,
      'text or {table}, where the table is a list of rows of texts',
    );
  refuseOther(errors, isErrorRow, `${where}: errors`, '{kinds, when}, where kinds is a list of words');
  if (gives !== undefined && !(isObject(gives) && 'result' in gives))
    throw new KindFault(`${where}: "gives" must be {result}, the result of the example`);
  return manual as ToolManual;
}

function refuseOther(
  list: unknown,
  isRight: (part: unknown) => boolean,
  where: string,
  wanted: string,
): void {
  const at = (list as unknown[]).findIndex((part) => !isRight(part));
  if (at >= 0) throw new KindFault(`${where}[${at}] must be ${wanted}`);
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isProse = (part: unknown): boolean =>
  isText(part) || (isObject(part) && Array.isArray(part.table) && part.table.every(isTexts));

function isErrorRow(row: unknown): boolean {
  const { kinds, when, retryable } = (isObject(row) ? row : {}) as JsonObject;
  return isTexts(kinds) && isText(when) && (retryable === undefined || isText(retryable));
}
