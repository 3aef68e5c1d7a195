/** Node's built-in SQLite if there is one, otherwise the same API from a package. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The part of `DatabaseSync` that we use. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export type Value = string | number | Uint8Array | null;

export interface Statement {
  run(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
}

type Constructor = new (path: string, options?: { readOnly?: boolean; timeout?: number }) => Database;

let DatabaseSync: Constructor | undefined;

export function openDatabase(path: string, options: { readOnly?: boolean; timeout?: number } = {}): Database {
  DatabaseSync ??= load();
  return new DatabaseSync(path, options);
}

function load(): Constructor {
  const require = createRequire(import.meta.url);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const builtIn = major > 22 || (major === 22 && minor >= 13);
  if (!builtIn) return (ofBinary() ?? ofPackage(require)).DatabaseSync;
  return withoutWarning(() => (require('node:sqlite') as Module).DatabaseSync);
}

/** What an installed Woof ships for versions of Node without SQLite: the same program, for one platform. */
const OWN_PACKAGE = `@woof/sqlite-${process.platform}-${process.arch}`;

function ofPackage(require: NodeJS.Require): Module {
  if (isThere(OWN_PACKAGE, require)) return require(OWN_PACKAGE) as Module;
  if (isThere('@photostructure/sqlite', require)) return require('@photostructure/sqlite') as Module;
  throw Object.assign(
    new Error(`Node ${process.versions.node} has no SQLite, and the package ${OWN_PACKAGE} is not installed`),
    { code: 'NO_SQLITE' },
  );
}

function isThere(name: string, require: NodeJS.Require): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}

const PACKAGE = join('node_modules', '@photostructure', 'sqlite');
const BINARY = join('prebuilds', `${process.platform}-${process.arch}`, '@photostructure+sqlite.glibc.node');

/**
 * The binary inside the package, which is all that we use of it. Its own loader checks a dozen files first: 5 ms, a
 * tenth of a short run. Undefined whenever that loader might find another one (built on this machine, or for musl).
 */
function ofBinary(): Module | undefined {
  const folder = foldersAbove(fileURLToPath(import.meta.url)).find((above) =>
    existsSync(join(above, PACKAGE)),
  );
  if (folder === undefined || existsSync(join(folder, PACKAGE, 'build'))) return undefined;
  const module = { exports: {} };
  try {
    process.dlopen(module, join(folder, PACKAGE, BINARY));
  } catch {
    return undefined;
  }
  return module.exports as Module;
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

interface Module {
  DatabaseSync: Constructor;
}

/** Node 22 warns on every start that its SQLite is experimental; the person at the terminal can do nothing about it. */
function withoutWarning<T>(use: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return use();
  } finally {
    process.emitWarning = emitWarning;
  }
}
