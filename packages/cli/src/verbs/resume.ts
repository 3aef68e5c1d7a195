import { isEnded, type State } from '@woof/net';
import type { ExecutionRow, Store } from '@woof/stores';
import { reachOwner } from '../control/reach-owner.ts';
import { DRIVE_OPTIONS, drive } from '../drive.ts';
import { withRun } from '../open-run.ts';
import type { Runtime } from '../runtime.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: ['RUN'],
  options: DRIVE_OPTIONS,
  about:
    'A run whose process ended goes on here, without doing a finished task again. A paused run of a live process goes on there, and this verb returns.',
  examples: [
    ['woof resume last', 'go on after Ctrl-C, a crash or a reboot'],
    ['woof resume k3x9 --json', 'the same, with the account of the run'],
  ],
  async run([word = ''], flags) {
    const { row, data } = await withRun(word, flags.data, async ({ store, row, data }) => ({
      row: await rootOf(store, row),
      data,
    }));
    const id = row.execution_id;
    if (row.ended_at !== undefined) throw hasEnded(row);
    const reached = await reachOwner(data.path, { verb: 'resume', execution_id: id }, () =>
      drive({ id, file: row.file }, flags, (runtime) => adopt(runtime, id)),
    );
    if ('done' in reached) return reached.done;
    const { ok, pid, message } = reached.answer;
    if (flags.json) console.log(JSON.stringify({ execution_id: id, status: 'running', pid, ok, message }));
    else console.error(`${id}: ${message} (process ${pid})`);
    return ok ? 0 : 1;
  },
});

async function adopt({ engine }: Runtime, id: string): Promise<State> {
  const state = await engine.adopt(id);
  if (state === undefined) throw new UserError(`there is no run ${id}`, 'see: woof runs', 2);
  return isEnded(state) ? state : engine.finished(id);
}

function hasEnded(row: ExecutionRow): UserError {
  const fix = `run it again: woof rerun ${row.execution_id}`;
  return new UserError(`the run ${row.execution_id} has ended: ${row.status}`, fix);
}

/** A nested run goes on with its caller. */
async function rootOf(store: Store, row: ExecutionRow): Promise<ExecutionRow> {
  const parent = row.parent === undefined ? undefined : await store.execution(row.parent);
  return parent ? rootOf(store, parent) : row;
}
