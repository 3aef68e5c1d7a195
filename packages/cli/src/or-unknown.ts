import { Problem } from '@woof/protocol';
import { UserError } from './user-error.ts';

/** What a command names may not exist, here or on a server: the message says which list has the names. */
export async function orUnknown<T>(done: Promise<T>, list: string): Promise<T> {
  try {
    return await done;
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'not-found')) throw error;
    throw new UserError(error.message, `see: ${list}`);
  }
}
