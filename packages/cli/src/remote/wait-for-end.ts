/** A run that was started at a server: its id, or with --wait its end, or the person it waits for, as `woof run` tells it. */
import { type Client, followEvents, fromEnvelope, RemoteStore } from '@woof/client';
import { loadState } from '@woof/engine';
import { emptyState, evolve } from '@woof/net';
import { finished } from '../drive.ts';
import type { HomeFlags } from '../home-flags.ts';
import { createProgress } from '../progress/progress.ts';
import { INTERRUPTED, watchSignals } from '../watch-signals.ts';
import { SidecarWriter } from './write-sidecar.ts';

export interface WaitFlags extends HomeFlags {
  wait?: true;
  json?: true;
  quiet?: true;
}

/** `file`: the document here, beside which the outputs of a notebook are written. */
export async function told(client: Client, id: string, flags: WaitFlags, file?: string): Promise<number> {
  if (!flags.wait) {
    console.log(flags.json ? JSON.stringify({ execution_id: id, status: 'running' }) : id);
    return 0;
  }
  if (!flags.quiet) process.stderr.write(`run ${id} at ${client.url}\n`);
  const store = new RemoteStore(client);
  const signals = watchSignals();
  const stop = new AbortController();
  const ended = await Promise.race([follow({ client, store, id, file }, flags, stop.signal), signals.first]);
  stop.abort();
  signals.end();
  if (ended === undefined) {
    process.stderr.write(`it goes on at the server; see: woof show ${id} --server ${client.url}\n`);
    return INTERRUPTED;
  }
  const state = await loadState(store, id);
  return finished(state!, (await store.execution(id))?.file, flags);
}

interface Followed {
  client: Client;
  store: RemoteStore;
  id: string;
  file: string | undefined;
}

async function follow(
  { client, store, id, file }: Followed,
  flags: WaitFlags,
  signal: AbortSignal,
): Promise<true> {
  const progress = createProgress(flags);
  const row = await store.execution(id);
  const plan = row && (await store.plan(row.plan_hash));
  const state = plan && emptyState(id, plan);
  const isNotebook = plan?.kind === 'notebook' && file !== undefined;
  const sidecar = isNotebook ? new SidecarWriter(client, file, plan) : undefined;
  for await (const envelope of followEvents(client, id, 0, signal)) {
    const event = fromEnvelope(envelope);
    sidecar?.see(event);
    if (state === undefined) continue;
    evolve(state, event);
    progress.onEvents([event], state);
    // Somebody may have answered since.
    const asks = event.name === 'execution.needs_human' && state.status === 'needs_human';
    if (asks && (await store.execution(id))?.status === 'needs_human') break;
  }
  progress.end();
  await sidecar?.end();
  return true;
}
