/** pause and cancel, wherever the run is. */
import type { HomeFlags } from '../home-flags.ts';
import { withRun } from '../open-run.ts';
import { UserError } from '../user-error.ts';

export async function commandRun(
  verb: 'pause' | 'cancel',
  word: string,
  flags: HomeFlags & { json?: true; reason?: string },
): Promise<number> {
  return withRun(word, flags, async ({ home, row: { execution_id: id } }) => {
    const { ok, message } = await home.command(verb, id, flags.reason);
    if (flags.json) console.log(JSON.stringify({ execution_id: id, ok, message }));
    else if (ok) console.error(`${id}: ${message}`);
    else throw new UserError(`${message}: ${id}`, `see: woof show ${id}`);
    return ok ? 0 : 1;
  });
}
