/**
 * What a person reads when something went wrong, and the exit status.
 * The user's and the world's faults never show a stack; our own do under WOOF_DEBUG=1.
 */
import { BlobError, StoreError } from '@woof/stores';
import { UserError } from './user-error.ts';

export function reportFailure(error: unknown): number {
  if (error instanceof UserError) return say(error.message, error.fix, error.exitCode);
  if (error instanceof StoreError || error instanceof BlobError) return say(error.message, undefined, 1);
  const { code, message = String(error), stack } = (error ?? {}) as NodeJS.ErrnoException;
  if (code && WORLD.has(code)) return say(message, fixOf(code), 1);
  say(`woof broke: ${message.split('\n')[0]}`, 'please report it with the output of WOOF_DEBUG=1 woof …', 1);
  if (process.env.WOOF_DEBUG === '1') process.stderr.write(`${stack}\n`);
  return 1;
}

const WORLD = new Map<string, string>([
  ['ENOSPC', 'free some space on the disk'],
  ['EDQUOT', 'free some space: the quota is used up'],
  ['EACCES', 'check the permissions, or name another directory with --data'],
  ['EPERM', 'check the permissions, or name another directory with --data'],
  ['EROFS', 'the file system is read-only; name another directory with --data'],
  ['EMFILE', 'raise the limit of open files (ulimit -n)'],
  ['ENOTDIR', 'check the path'],
  ['EIO', 'the disk fails'],
  ['EFBIG', 'the file would be larger than the limit (ulimit -f)'],
]);

function fixOf(code: string): string | undefined {
  return WORLD.get(code);
}

function say(message: string, fix: string | undefined, status: number): number {
  process.stderr.write(`error: ${message}\n${fix ? `  fix: ${fix}\n` : ''}`);
  return status;
}
