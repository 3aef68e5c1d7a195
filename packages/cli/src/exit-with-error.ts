/**
 * What a person reads when something went wrong, and the exit code.
 * Errors of the user or the environment never show a stack; bugs do under WOOF_DEBUG=1.
 */
import { NewerVersion } from '@woof/net';
import { Problem } from '@woof/protocol';
import { BlobError, StoreError } from '@woof/stores';
import { missingPackage } from './optional-packages.ts';
import { systemError } from './system-error.ts';
import { UserError } from './user-error.ts';

/** With `json`, a program can read it too: as the last line of stdout. */
export function exitWithError(error: unknown, json = false): number {
  const { message, fix, diagnostics, status, stack } = described(error);
  process.stderr.write(`error: ${message}\n${fix ? `  fix: ${fix}\n` : ''}`);
  if (json) process.stdout.write(`${JSON.stringify({ error: { message, fix, diagnostics } })}\n`);
  if (stack && process.env.WOOF_DEBUG === '1') process.stderr.write(`${stack}\n`);
  return status;
}

interface Described {
  message: string;
  fix?: string | undefined;
  diagnostics?: readonly object[] | undefined;
  status: number;
  /** For whoever debugs Woof. */
  stack?: string | undefined;
}

function described(error: unknown): Described {
  if (error instanceof UserError) {
    const { message, fix, diagnostics, exitCode: status, cause } = error;
    return { message, fix, diagnostics, status, stack: (cause as Error | undefined)?.stack };
  }
  // Their messages end with what to do.
  if (error instanceof NewerVersion || error instanceof StoreError)
    return { message: error.message, status: 1 };
  if (error instanceof BlobError) return { message: error.message, fix: BLOB_FIXES[error.fault], status: 1 };
  if (error instanceof Problem) {
    const fix = PROBLEM_FIXES[error.code];
    return { message: `the server refused the request: ${error.message}`, fix, status: 1 };
  }
  if ((error as Error)?.name === 'Unreachable') {
    const fix = 'check that the server is running and that the address is correct';
    return { message: (error as Error).message, fix, status: 1 };
  }
  const { code, message = String(error), stack } = (error ?? {}) as NodeJS.ErrnoException;
  const missing = missingPackage(error);
  if (missing) return { message: missing.message, fix: missing.fix, status: 1 };
  if (DAMAGED.test(message))
    return { message: `the data directory is damaged: ${message}`, fix: DAMAGED_FIX, status: 1 };
  if (code && WORLD.has(code))
    return { message: systemError(error as Error), fix: WORLD.get(code), status: 1 };
  const fix = 'report it with the output of WOOF_DEBUG=1 woof …';
  return { message: `internal error: ${message.split('\n')[0]}`, fix, status: 1, stack };
}

const LOST_VALUE =
  'restore the data directory from a backup, or compute the value again with: woof rerun RUN';

const BLOB_FIXES: Partial<Record<BlobError['fault'], string>> = {
  damaged: LOST_VALUE,
  missing: LOST_VALUE,
};

const PROBLEM_FIXES: Partial<Record<Problem['code'], string>> = {
  'auth/missing': 'send a token with --token TOKEN or WOOF_TOKEN',
  'auth/wrong': 'create a new token with: woof token create NAME --role ROLE',
  'auth/role': 'use a token with that role',
  'host/refused': 'start the server with --host NAME, the name in the address that you use',
  'request/too-large': 'let a task read large data from a file, a database or a service',
  'request/too-many': 'wait a moment and try again',
  'version/newer': 'upgrade woof on the server',
  'worker/protocol': 'use the same version of Woof for server and workers',
};

const DAMAGED =
  /database disk image is malformed|file is not a database|readonly database|unable to open database/;
const DAMAGED_FIX = 'check the disk and the permissions, or choose another directory with --data DIR';

const PERMISSIONS =
  'check the permissions, or work in another directory; --data DIR names another data directory';

const WORLD = new Map<string, string>([
  ['ENOSPC', 'free some space on the disk'],
  ['EDQUOT', 'free some space; the disk quota is exhausted'],
  ['EACCES', PERMISSIONS],
  ['EPERM', PERMISSIONS],
  ['EROFS', 'work in another directory; --data DIR names another data directory'],
  ['EMFILE', 'raise the limit on open files (ulimit -n)'],
  ['ENOENT', 'check the path'],
  ['ENOTDIR', 'check the path'],
  ['ELOOP', 'check the symbolic links in the path'],
  ['ENAMETOOLONG', 'use a shorter path'],
  ['EIO', 'check the disk; it reports read or write errors'],
  ['EFBIG', 'the file would exceed the size limit (ulimit -f)'],
]);
