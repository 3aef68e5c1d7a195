/**
 * What a reader is told if stored data are not what this program wrote: damage by the disk or by a person, not a bug.
 *
 * Owns: which errors mean that, and the wording. The original error stays as the cause, for WOOF_DEBUG=1.
 */
import { NewerVersion } from '@woof/net';
import { BlobError, StoreError } from '@woof/stores';
import { UserError } from './user-error.ts';

const TOLD = [UserError, StoreError, BlobError];

const MALFORMED = /database disk image is malformed|file is not a database/;

/** Text that does not parse, or pages that SQLite cannot read. */
function isDamage(error: unknown): error is Error {
  return error instanceof SyntaxError || (error instanceof Error && MALFORMED.test(error.message));
}

/** If the only work is reading a log, any failure is damage to the log; errors of the operating system have a code. */
function breaksReading(error: unknown): error is Error {
  const isTold = TOLD.some((type) => error instanceof type);
  return error instanceof Error && !isTold && (isDamage(error) || !('code' in error));
}

export interface LogPlace {
  executionId: string;
  /** The data directory. */
  folder: string;
}

/** For work that reads a log among other things. */
export async function noticeDamage<T>(place: LogPlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isDamage(error) ? damagedLog(place, error) : error;
  }
}

/** For work that only reads a log. */
export async function readLog<T>(place: LogPlace, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw unreadable(place, error);
  }
}

export async function* readFrames<T>(place: LogPlace, frames: AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* frames;
  } catch (error) {
    throw unreadable(place, error);
  }
}

function unreadable(place: LogPlace, error: unknown): unknown {
  if (error instanceof NewerVersion) return newer(place, error);
  return breaksReading(error) ? damagedLog(place, error) : error;
}

function newer({ executionId }: LogPlace, { what, reason }: NewerVersion): UserError {
  return new UserError(`${what} of run ${executionId} ${reason}`, 'upgrade woof');
}

/** For reading rows of executions. */
export async function readRows<T>(folder: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isDamage(error) ? damaged(`the list of runs in ${folder}`, folder, error) : error;
  }
}

function damagedLog({ executionId, folder }: LogPlace, error: Error): UserError {
  return damaged(`the log of run ${executionId}`, folder, error);
}

function damaged(what: string, folder: string, error: Error): UserError {
  const [first] = error.message.split('\n');
  const fix = `restore the data directory ${folder} from a backup, or choose another one with --data DIR`;
  const told = new UserError(`${what} is damaged: ${first}`, fix);
  told.cause = error;
  return told;
}
