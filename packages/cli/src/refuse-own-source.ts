/** A verb that makes one file from another never overwrites what it reads, whatever links lead to either. */
import { realpathSync } from 'node:fs';
import { UserError } from './user-error.ts';

export function refuseOwnSource(source: string, out: string | undefined): void {
  if (out === undefined) return;
  const place = real(out);
  if (place === undefined || place !== real(source)) return;
  throw new UserError(`${out} is the input file and would be overwritten`, 'choose another output file', 2);
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
