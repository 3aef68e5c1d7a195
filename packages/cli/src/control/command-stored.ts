/**
 * Commands a run that this process has claimed: decided here, appended to its log. Nested runs receive the command too.
 * If a run is cancelled, attempts that dead processes left behind are ended.
 */
import { loadState } from '@woof/engine';
import { type Command, DEFAULT_LIMITS, type Env, type Refusal, type State, turn } from '@woof/net';
import { type BlobStore, type ExecutionRow, everyExecution, type Store, Values } from '@woof/stores';
import { readLog } from '../damaged-log.ts';
import { runsOf } from '../data-directory.ts';
import { BusyError } from '../user-error.ts';

export async function commandStored(
  data: { path: string; store: Store; blobs: BlobStore },
  executionId: string,
  command: Command,
  /** Called with what could not be ended. */
  tell: (fault: string) => void = () => {},
): Promise<Refusal | undefined> {
  const place = { executionId, folder: data.path };
  const state = await readLog(place, () => loadState(data.store, executionId));
  if (state === undefined) return 'execution_ended';
  const refusal = await decideAndAppend(data, state, command);
  if (refusal !== undefined) return refusal;
  if (command.type === 'CancelExecution') {
    const { endLeftAttempts } = await import('@woof/tools/bundle');
    for (const fault of await endLeftAttempts(runsOf(data), executionId, 'the run was cancelled'))
      tell(fault);
  }
  for await (const row of everyExecution(data.store, { parent: executionId }))
    await commandStored(data, row.execution_id, command, tell);
  return undefined;
}

/** A run started with limits of its own keeps them, and they are not known here. */
const UNLIMITED = { ...DEFAULT_LIMITS, tokens: Infinity, events: Infinity };

async function decideAndAppend(
  { store, blobs }: { store: Store; blobs: BlobStore },
  state: State,
  command: Command,
): Promise<Refusal | undefined> {
  const values = new Values(blobs);
  const host = values.host(Date.now);
  const env: Env = { now: Date.now(), host, ...values.access, limits: UNLIMITED };
  const expected = state.seq;
  const { events, refusal } = turn(state, command, env);
  if (refusal !== undefined) return refusal;
  if (values.hasPending) await values.save();
  const { execution_id } = state;
  const refused = await store.append([{ execution_id, expected, events, row: rowOf(state) }]);
  if (refused.length > 0) throw new BusyError(`another process is writing to the run ${execution_id}`);
  return undefined;
}

function rowOf(state: State): Partial<ExecutionRow> {
  return {
    status: state.status,
    ...(state.ended_at === undefined ? {} : { ended_at: state.ended_at }),
    ...(state.error ? { error: state.error.message } : {}),
  };
}
