/** Files are replaced only if the user asks for it. A pipe or a terminal has nothing to lose. */
import { statSync } from 'node:fs';
import { UserError } from './user-error.ts';

export function refuseExisting(...files: string[]): void {
  const found = files.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
  if (found === undefined) return;
  throw new UserError(`${found} already exists`, 'choose another file, or replace it with --force', 2);
}
