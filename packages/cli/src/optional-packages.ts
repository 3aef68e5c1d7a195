/** Packages that an installed Woof works without: what needs them, and how to get them. */
import { createRequire } from 'node:module';

/** Versions by name, as tested; the build fills it in. */
declare const WOOF_OPTIONAL: Record<string, string>;

export interface OptionalPackage {
  name: string;
  use: string;
}

export const OPTIONAL_PACKAGES: readonly OptionalPackage[] = [
  { name: '@duckdb/node-api', use: 'tasks of kind duckdb' },
  { name: 'rolldown', use: 'woof build of a folder' },
];

export interface MissingPackage {
  message: string;
  fix: string;
}

/** Which package an error reports as missing, if Woof knows it. */
export function missingPackage(error: unknown): MissingPackage | undefined {
  const { code, message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'NO_SQLITE') return { message, fix: SQLITE_FIX };
  if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  const found = OPTIONAL_PACKAGES.find(({ name }) => message.includes(`'${name}`));
  if (found === undefined) return undefined;
  return {
    message: `${found.use} needs the package ${found.name}, which is not installed`,
    fix: fixFor(found),
  };
}

export function isInstalled({ name }: OptionalPackage): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Installed beside woof, where it is found, whether that is a project or the global folder. */
export function fixFor({ name }: OptionalPackage): string {
  return `npm install ${name}@${WOOF_OPTIONAL[name]}, with -g if you installed woof with -g`;
}

export const SQLITE_FIX =
  'use Node 22.13 or newer, which includes SQLite, or install @woof/cli again without --omit=optional';
