/** pause and cancel of a run here: through the process that drives it, else in the store. */
import { openForWriting } from '../data-directory.ts';
import type { Commanded } from '../home.ts';
import { commandStored } from './command-stored.ts';
import { commandFor } from './handle-request.ts';
import { reachOwner } from './reach-owner.ts';
import { refusalText } from './refusal-text.ts';

export async function commandLocal(
  folder: string,
  verb: 'pause' | 'cancel',
  id: string,
  reason?: string,
): Promise<Commanded> {
  const why = reason === undefined ? {} : { reason };
  const reached = await reachOwner(folder, { verb, execution_id: id, ...why }, async () => {
    const writable = openForWriting(folder);
    try {
      const faults: string[] = [];
      const tell = (fault: string) => faults.push(fault);
      const refusal = await commandStored(writable, id, commandFor(verb, reason), tell);
      const done = [`${verb}${ENDING[verb]}`, ...faults].join('; ');
      return { ok: refusal === undefined, message: refusal ? refusalText(refusal) : done };
    } finally {
      await writable.close();
    }
  });
  return 'answer' in reached ? reached.answer : reached.done;
}

const ENDING = { pause: 'd', cancel: 'led' } as const;
