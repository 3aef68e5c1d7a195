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

export function exitWithError(error: unknown): number {
  if (error instanceof UserError) {
    if (error.cause instanceof Error) debug(error.cause.stack);
    return say(error.message, error.fix, error.exitCode);
  }
  if (error instanceof NewerVersion) return say(error.message, undefined, 1);
  if (error instanceof StoreError || error instanceof BlobError) return say(error.message, undefined, 1);
  if (error instanceof Problem)
    return say(`the server refused the request: ${error.message}`, PROBLEM_FIXES[error.code], 1);
  if ((error as Error)?.name === 'Unreachable')
    return say(
      (error as Error).message,
      'check that the server is running and that the address is correct',
      1,
    );
  const { code, message = String(error), stack } = (error ?? {}) as NodeJS.ErrnoException;
  const missing = missingPackage(error);
  if (missing) return say(missing.message, missing.fix, 1);
  if (DAMAGED.test(message)) return say(`the data directory is damaged: ${message}`, DAMAGED_FIX, 1);
  if (code && WORLD.has(code)) return say(systemError(error as Error), WORLD.get(code), 1);
  say(`internal error: ${message.split('\n')[0]}`, 'report it with the output of WOOF_DEBUG=1 woof …', 1);
  debug(stack);
  return 1;
}

function debug(stack: string | undefined): void {
  if (process.env.WOOF_DEBUG === '1') process.stderr.write(`${stack}\n`);
}

const PROBLEM_FIXES: Partial<Record<Problem['code'], string>> = {
  'auth/missing': 'send a token with --token TOKEN or WOOF_TOKEN',
  'auth/wrong': 'create a new token with: woof token create NAME --role ROLE',
  'auth/role': 'use a token with that role',
  'host/refused': 'start the server with --host NAME, the name in the address that you use',
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

function say(message: string, fix: string | undefined, status: number): number {
  process.stderr.write(`error: ${message}\n${fix ? `  fix: ${fix}\n` : ''}`);
  return status;
}
