/** pause and cancel: through the process that drives the run, else in the store. */
import { openForWriting } from '../data-directory.ts';
import { withRun } from '../open-run.ts';
import { commandStored } from './command-stored.ts';
import { commandFor } from './handle-request.ts';
import { reachOwner } from './reach-owner.ts';
import { refusalText } from './refusal-text.ts';

export async function commandRun(
  verb: 'pause' | 'cancel',
  word: string,
  flags: { data?: string; json?: true; reason?: string },
): Promise<number> {
  const { row, data } = await withRun(word, flags.data, async ({ row, data }) => ({ row, data }));
  const id = row.execution_id;
  const reason = flags.reason === undefined ? {} : { reason: flags.reason };
  const reached = await reachOwner(data.path, { verb, execution_id: id, ...reason }, async () => {
    const writable = openForWriting(data.path);
    try {
      const refusal = await commandStored(writable, id, commandFor(verb, flags.reason));
      return {
        ok: refusal === undefined,
        message: refusal ? refusalText(refusal) : `${verb}${ENDING[verb]}`,
      };
    } finally {
      await writable.close();
    }
  });
  const { ok, message } = 'answer' in reached ? reached.answer : reached.done;
  if (flags.json) console.log(JSON.stringify({ execution_id: id, ok, message }));
  else console.error(`${id}: ${message}`);
  return ok ? 0 : 1;
}

const ENDING = { pause: 'd', cancel: 'led' } as const;
