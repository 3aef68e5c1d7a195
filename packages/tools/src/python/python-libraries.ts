/** The modules that `libs` requests, in each of the forms that it may have. */
import { isObject, type Json } from '@woof/net';
import { fault } from '../fields.ts';

export interface Library {
  /** The variable. */
  name: string;
  module: string;
  /** The member to import; if absent, the module itself. */
  member?: string;
  /** Binds the package that contains the module, as `import a.b` binds `a`. */
  top?: true;
}

const NAME = /^[^\W\d]\w*$/u;
const MODULE = /^[^\W\d]\w*(\.[^\W\d]\w*)*$/u;
const FORMS =
  'a map of names to modules, or a list, e.g. {np: numpy}, {from: datetime, import: [date, time]} or "import numpy as np"';

export function toLibraries(libs: Json | undefined): Library[] {
  if (libs === undefined || libs === null) return [];
  const entries = Array.isArray(libs) ? libs.flatMap(listed) : isObject(libs) ? mapped(libs) : undefined;
  if (entries?.every(isSound)) return entries;
  throw fault('libs', FORMS, libs);
}

/** `{np: numpy}`, `{day: {from: datetime, import: date}}`, or one `{from, import}` alone. */
function mapped(libs: Record<string, Json>): Library[] {
  if (typeof libs.import === 'string' || Array.isArray(libs.import)) return statement(libs);
  return Object.entries(libs).flatMap(([name, value]): Library[] => {
    if (typeof value === 'string') return [{ name, module: value }];
    return isObject(value) ? statement({ as: name, ...value }) : [UNSOUND];
  });
}

function listed(entry: Json): Library[] {
  if (isObject(entry)) return mapped(entry);
  return typeof entry === 'string' ? written(entry) : [UNSOUND];
}

/** `{from, import, as}`: `import` is a name or a list of them, `as` renames a single one. */
function statement({ from, import: names, as }: Record<string, Json>): Library[] {
  const one = !Array.isArray(names) || names.length === 1;
  return [names ?? null].flat().flatMap((each) => {
    if (typeof each !== 'string' || (from !== undefined && typeof from !== 'string')) return [UNSOUND];
    const renamed = one && typeof as === 'string' ? ` as ${as}` : '';
    return written(from === undefined ? `import ${each}${renamed}` : `from ${from} import ${each}${renamed}`);
  });
}

/** A line of Python, or just the name of a module. */
function written(line: string): Library[] {
  const [, from, names] = /^\s*(?:from\s+([\w.]+)\s+)?import\s+(.+?)\s*$/u.exec(line) ?? [];
  return (names ?? line).split(',').map((part): Library => {
    const [, what = '', as] = /^\s*([\w.]+)(?:\s+as\s+(\w+))?\s*$/u.exec(part) ?? [];
    if (from !== undefined) return { name: as ?? what, module: from, member: what };
    if (as !== undefined) return { name: as, module: what };
    return { name: what.split('.')[0]!, module: what, top: true };
  });
}

const UNSOUND: Library = { name: '', module: '' };

function isSound({ name, module, member = name }: Library): boolean {
  return NAME.test(name) && MODULE.test(module) && NAME.test(member);
}
