/** Turns a refusal of the builder into output for a person or a program. */
import { Refused } from '@woof/workbook-build';
import { wantsColor } from './terminal.ts';
import { UserError } from './user-error.ts';

/** Runs it and, if it is refused, reports all that is wrong; the exit code is then 2. */
export async function orRefused(
  flags: { json?: true },
  act: () => number | Promise<number>,
): Promise<number> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (flags.json) console.log(JSON.stringify({ ok: false, diagnostics: error.problems }));
    process.stderr.write(`${error.render({ color: wantsColor(process.stderr) })}\n`);
    return 2;
  }
}

/** Turns system errors of reading a page into messages. */
export function readable<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined || !code.startsWith('E') || error instanceof Refused) throw error;
    const why =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a directory' : message;
    throw new UserError(`cannot read ${file}: ${why}`, 'choose a page that woof build created', 2);
  }
}
