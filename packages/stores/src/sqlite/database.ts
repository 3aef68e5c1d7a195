/** Node's own SQLite where it has one, else the same API from a package. */
import { createRequire } from 'node:module';

/** The part of `DatabaseSync` that we use. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Statement {
  run(...values: (string | number | null)[]): unknown;
  all(...values: (string | number | null)[]): unknown[];
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
  if (!builtIn) return (require('@photostructure/sqlite') as Module).DatabaseSync;
  return withoutWarning(() => (require('node:sqlite') as Module).DatabaseSync);
}

interface Module {
  DatabaseSync: Constructor;
}

/** Node 22 says on every start that its SQLite is experimental; the person at the terminal can do nothing about it. */
function withoutWarning<T>(use: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return use();
  } finally {
    process.emitWarning = emitWarning;
  }
}
