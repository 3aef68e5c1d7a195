/** The frames of a log, once or until the run ends; also stops when nobody drives the run any more. */
import type { ExecutionRow, Frame, ReadStore } from '@woof/stores';
import { readFrames } from './damaged-log.ts';
import type { DataDirectory } from './data-directory.ts';
import { isDriven } from './liveness.ts';

const POLL_MS = 100;
const CHECK_EVERY = 20;

export interface LocalRun {
  data: DataDirectory;
  store: ReadStore;
  row: ExecutionRow;
}

export async function* followLog(run: LocalRun, follow: boolean): AsyncIterable<Frame> {
  const { store, row, data } = run;
  const place = { executionId: row.execution_id, folder: data.path };
  let seen = 0;
  for (let round = 0; ; round++) {
    // Checked before reading: if the row says that the run has ended, the log is complete.
    const isLast = !follow || (await hasStopped(run, round));
    for await (const { from, events } of readFrames(place, store.read(row.execution_id, seen))) {
      const fresh = events.slice(Math.max(0, seen - from));
      if (fresh.length === 0) continue;
      yield { from: from + events.length - fresh.length, events: fresh };
      seen = from + events.length;
    }
    if (isLast) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

export async function hasStopped({ store, row, data }: LocalRun, round: number): Promise<boolean> {
  const { status } = (await store.execution(row.execution_id)) ?? row;
  if (status === 'succeeded' || status === 'failed' || status === 'cancelled') return true;
  if (round % CHECK_EVERY !== CHECK_EVERY - 1 || (await isDriven(data, store, row.execution_id)))
    return false;
  process.stderr.write(
    `no process drives the run any more; continue it with: woof resume ${row.execution_id}\n`,
  );
  return true;
}
