/** Runs of a data directory on this machine, while a process drives them or afterwards. */
import type { Reference } from '@woof/net';
import { commandLocal } from './control/command-local.ts';
import { openForReading } from './data-directory.ts';
import { followLog } from './follow-log.ts';
import type { Home } from './home.ts';
import { isDriven } from './liveness.ts';
import { localLogs, logLines } from './log-lines.ts';

export function openLocalHome(flag: string | undefined): Home {
  const { store, ...data } = openForReading(flag);
  return {
    store,
    name: data.path,
    isDriven: (id) => isDriven(data, store, id),
    whyQueued: async () => [],
    frames: (row, follow) => followLog({ data, store, row }, follow),
    logs: (row, view = {}) => logLines(localLogs({ data, store, row }), view),
    text: async (reference: Reference) => data.blobs.getText(reference),
    command: (verb, id, reason) => commandLocal(data.path, verb, id, reason),
    close: () => store.close(),
  };
}
