/**
 * A run that was started at a server: prints its id, or with --wait its end or the approval that it waits for, as `woof
 * run` does.
 */
import { type Client, followEvents, type Reach, RemoteStore, Unreachable } from '@woof/client';
import { loadState } from '@woof/engine';
import { emptyState, evolve, fromEnvelope, type Plan, type Reference, type State } from '@woof/net';
import { finished } from '../drive.ts';
import type { HomeFlags } from '../home-flags.ts';
import { createProgress, type Progress } from '../progress/progress.ts';
import { withPlaces } from '../traceback.ts';
import { UserError } from '../user-error.ts';
import { INTERRUPTED, watchSignals } from '../watch-signals.ts';
import { FollowedOutputs } from './follow-outputs.ts';
import { watchForWorker } from './missing-worker.ts';
import { type Patience, reachServer } from './reach-server.ts';
import { storedTextAt } from './stored-text-at.ts';
import { SidecarWriter } from './write-sidecar.ts';

export interface WaitFlags extends HomeFlags {
  wait?: true;
  json?: true;
  quiet?: true;
}

export interface WaitOptions {
  /** The local document, beside which the outputs of a notebook are written. */
  file?: string;
  patience?: Patience;
  /** The run was handed over from here: it is shown as if it ran here, and Ctrl-C pauses it. */
  isHanded?: true;
}

export async function told(
  client: Client,
  id: string,
  flags: WaitFlags,
  { file, patience, isHanded = undefined }: WaitOptions = {},
): Promise<number> {
  if (!flags.wait) {
    console.log(flags.json ? JSON.stringify({ execution_id: id, status: 'running' }) : id);
    return 0;
  }
  if (!flags.quiet) process.stderr.write(`run ${id} at ${client.url}\n`);
  const stop = new AbortController();
  const progress = createProgress(flags);
  const say = (line: string) => progress.say(line);
  const signals = watchSignals(say);
  if (!flags.quiet) watchForWorker(client, say, stop.signal);
  const reach = reachServer(client, { say, ...patience, signal: stop.signal });
  const run: Followed = { client, id, file, reach, store: new RemoteStore(client), isHanded };
  try {
    const end = await Promise.race([endOf(run, progress, stop.signal), signals.first]);
    progress.end();
    const textOf = (reference: Reference) => reach.insist(() => storedTextAt(client, reference));
    if (end !== undefined)
      return await finished(end.state, end.file, flags, { textOf, hasShownLogs: progress.showsLogs });
    process.stderr.write(`${await leave(run)}; ${goOn(run)}\n`);
    return INTERRUPTED;
  } catch (error) {
    progress.end();
    if (!(error instanceof Unreachable)) throw error;
    throw new UserError(
      `${error.message}; ${isHanded ? 'the data directory' : 'the server'} keeps run ${id}`,
      goOn(run),
    );
  } finally {
    stop.abort();
    signals.end();
  }
}

interface Followed {
  client: Client;
  store: RemoteStore;
  id: string;
  file: string | undefined;
  reach: Reach;
  isHanded: true | undefined;
}

async function leave({ client, id, isHanded }: Followed): Promise<string> {
  if (!isHanded) return 'the run continues on the server';
  await client.call('executions.pause', { params: { id } });
  return 'the run is paused on the server';
}

function goOn({ client, id, isHanded }: Followed): string {
  if (isHanded) return `continue with: woof resume ${id}`;
  const more = `${id} --server ${client.url}`;
  return `wait for its end with: woof events ${more} --follow; see the result with: woof show ${more}`;
}

async function endOf(
  run: Followed,
  progress: Progress,
  signal: AbortSignal,
): Promise<{ state: State; file: string | undefined }> {
  const { store, id, reach } = run;
  const row = await reach.insist(() => store.execution(id));
  const plan = row && (await reach.insist(() => store.plan(row.plan_hash)));
  const outputs = progress.showsLogs ? shownOutputs(run, plan, progress) : undefined;
  try {
    await follow(run, plan, progress, signal);
    await outputs?.end(reach);
  } finally {
    outputs?.stop();
  }
  const state = await reach.insist(() => loadState(store, id));
  return { state: state!, file: run.isHanded ? run.file : row?.file };
}

function shownOutputs(
  { client, id, file }: Followed,
  plan: Plan | undefined,
  progress: Progress,
): FollowedOutputs {
  return new FollowedOutputs(client, id, (line) =>
    progress.onLog(plan && file ? withPlaces(line, plan, file) : line),
  );
}

async function follow(
  run: Followed,
  plan: Plan | undefined,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { client, store, id, file, reach } = run;
  const state = plan && emptyState(id, plan);
  const isNotebook = plan?.kind === 'notebook' && file !== undefined;
  const sidecar = isNotebook ? new SidecarWriter(run, file, plan) : undefined;
  for await (const envelope of followEvents(client, id, { signal, reach })) {
    const event = fromEnvelope(envelope);
    sidecar?.see(event);
    if (state === undefined) continue;
    evolve(state, event);
    progress.onEvents([event], state);
    // Somebody may have answered in the meantime.
    const asks = event.name === 'execution.needs_human' && state.status === 'needs_human';
    if (asks && (await reach.insist(() => store.execution(id)))?.status === 'needs_human') break;
  }
  await sidecar?.end();
}
