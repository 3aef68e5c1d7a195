/** resume and rerun at a server: the server continues the run, and the verb returns or waits. */
import type { JsonObject, State } from '@woof/net';
import { Problem } from '@woof/protocol';
import { askedBy } from '../control/asked-by.ts';
import type { HomeFlags } from '../home-flags.ts';
import { stateOf, withRun, withWorkload } from '../open-run.ts';
import { changedWorkload, tellRerun } from '../rerun-preview.ts';
import { checkStep } from '../verbs/why.ts';
import { connect } from './connect.ts';
import { told, type WaitFlags } from './wait-for-end.ts';

export function resumeRemote(word: string, flags: HomeFlags & { json?: true }): Promise<number> {
  return withRun(word, flags, async ({ row: { execution_id: id } }) => {
    const { ok, message } = await connect(flags).call('executions.resume', { params: { id } }).catch(refused);
    if (flags.json) console.log(JSON.stringify({ execution_id: id, ok, message }));
    else console.error(`${id}: ${message}`);
    return ok ? 0 : 1;
  });
}

export function answerRemote(
  word: string,
  step: string | undefined,
  approved: boolean,
  flags: HomeFlags & { json?: true; note?: string; override?: true },
): Promise<number> {
  return withRun(word, flags, async (run) => {
    const state = await stateOf(run);
    const { execution_id: id, step: asked } = askedBy(state, step);
    const body = {
      step: asked,
      ...(flags.note === undefined ? {} : { note: flags.note }),
    };
    const client = connect(flags);
    const call = approved
      ? client.call('executions.approve', {
          params: { id },
          body: { ...body, ...(flags.override ? { override: true as const } : {}) },
        })
      : client.call('executions.reject', { params: { id }, body });
    const { ok, message } = await call.catch(refused);
    if (flags.json) console.log(JSON.stringify({ execution_id: id, ok, message }));
    else console.error(`${id}: ${message}`);
    return ok ? 0 : 1;
  });
}

interface RerunFlags extends WaitFlags {
  from?: string;
  set?: string[];
  'dry-run'?: true;
}

export function rerunRemote(word: string, flags: RerunFlags): Promise<number> {
  return withRun(word, flags, async (run) => {
    const { execution_id: id } = run.row;
    const client = connect(flags);
    if (flags.from !== undefined) checkStep(await stateOf(run), flags.from);
    const payload = flags.set && payloadOf(await withWorkload(run, await stateOf(run)), flags.set);
    const body = {
      ...(flags.from === undefined ? {} : { from: flags.from }),
      ...(payload ? { payload } : {}),
      ...(flags['dry-run'] ? { dry_run: true } : {}),
    };
    const answer = await client.call('executions.rerun', { params: { id }, body });
    if (!('execution_id' in answer)) return tellRerun(answer, flags);
    return told(client, answer.execution_id, { ...flags, wait: true });
  });
}

/** The top-level values that `--set` changes, as a whole. */
function payloadOf(state: State, sets: readonly string[]): JsonObject {
  const workload = changedWorkload(state, sets) ?? {};
  const changed = sets.map((set) => set.split(/[.=]/, 1)[0]!);
  return Object.fromEntries(changed.map((key) => [key, workload[key]!]));
}

function refused(error: unknown): { ok: boolean; message: string } {
  if (error instanceof Problem && error.code === 'request/conflict')
    return { ok: false, message: error.message };
  throw error;
}
