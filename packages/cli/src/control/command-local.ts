/** pause and cancel for a local run: through the process that drives it, else in the store. */
import { giveBackRun } from '@woof/engine';
import { refusalText } from '@woof/protocol';
import { openForWriting } from '../data-directory.ts';
import { claimRun } from '../drivers/claim-run.ts';
import { becomeDriver } from '../drivers/drivers.ts';
import type { Commanded } from '../home.ts';
import { commandStored } from './command-stored.ts';
import { commandFor } from './handle-request.ts';
import { reachDriver } from './reach-driver.ts';

type Verb = 'pause' | 'cancel';

export async function commandLocal(
  folder: string,
  verb: Verb,
  id: string,
  reason?: string,
): Promise<Commanded> {
  const why = reason === undefined ? {} : { reason };
  const reached = await reachDriver<Commanded>(
    folder,
    { verb, execution_id: id, ...why },
    {
      here: () => commandHere(folder, verb, id, reason),
      atServer: async (flags) => {
        const { openRemoteHome } = await import('../remote/remote-home.ts');
        return openRemoteHome(flags.server, flags).command(verb, id, reason);
      },
    },
  );
  return 'answer' in reached ? reached.answer : reached.done;
}

async function commandHere(folder: string, verb: Verb, id: string, reason?: string): Promise<Commanded> {
  const data = openForWriting(folder);
  const driver = becomeDriver(data.path);
  try {
    const from = await claimRun(data, id, driver.id);
    const faults: string[] = [];
    const tell = (fault: string) => faults.push(fault);
    const refusal = await commandStored(data, id, commandFor(verb, reason), tell);
    await giveBackRun(data.store, id, { driver: driver.id, from });
    const done = [`${verb}${ENDING[verb]}`, ...faults].join('; ');
    return { ok: refusal === undefined, message: refusal ? refusalText(refusal) : done };
  } finally {
    driver.release();
    await data.close();
  }
}

const ENDING = { pause: 'd', cancel: 'led' } as const;
