/** Resolves the keychain of a run before anything in it happens; a missing secret ends the verb. */
import { type JsonObject, type Plan, usedKeychain } from '@woof/net';
import { Values } from '@woof/stores';
import { KeychainFault } from '@woof/worker';
import type { Runtime } from '../runtime.ts';
import { UserError } from '../user-error.ts';

export interface Locked {
  executionId: string;
  plan: Plan;
  workload: JsonObject;
  folder: string;
}

export async function unlockRun({ keychains, sources, data }: Runtime, locked: Locked): Promise<void> {
  const { executionId, plan, workload, folder } = locked;
  if (usedKeychain(plan).length === 0) return;
  const stored = new Values(data.blobs);
  const host = stored.host(sources.now);
  const values = { host, lacks: () => stored.hasMissing, bring: () => stored.bring() };
  try {
    const world = { execution_id: executionId, workload };
    await keychains.resolve({ plan, world, folder, sources, values });
  } catch (error) {
    if (error instanceof KeychainFault) throw new UserError(error.message, error.fix, 2);
    throw error;
  }
}
