import { endOfAdopted, leftBehind, rowToResume } from '@woof/engine';
import type { State } from '@woof/net';
import type { ExecutionRow } from '@woof/stores';
import { adoptRun } from '../control/adopt-run.ts';
import { reachDriver } from '../control/reach-driver.ts';
import { DRIVE_OPTIONS, drive } from '../drive.ts';
import { HOME_OPTIONS, serverOf } from '../home-flags.ts';
import { withRun } from '../open-run.ts';
import type { Runtime } from '../runtime.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: ['RUN'],
  options: { ...DRIVE_OPTIONS, ...HOME_OPTIONS },
  about:
    'If the process of the run has ended, the run continues in this process. Tasks that finished are not repeated. If the run is paused in a process that is still alive, it continues there and this command returns immediately.',
  examples: [
    ['woof resume last', 'continue after Ctrl-C, a crash or a reboot'],
    ['woof resume k3x9 --json', 'continue, and print a JSON report at the end'],
  ],
  async run([word = ''], flags) {
    if (serverOf(flags)) return (await import('../remote/command-remote.ts')).resumeRemote(word, flags);
    const { row, left, folder } = await withRun(word, flags, async ({ home, row: named }) => {
      // A nested run continues with its caller.
      const row = await rowToResume(home.store, named);
      return { row, left: await leftBehind(home.store, row), folder: home.name };
    });
    const id = row.execution_id;
    if (row.ended_at !== undefined && left.length === 0) return hasEnded(row, flags.json);
    const request = { verb: 'resume', execution_id: id } as const;
    const reached = await reachDriver(folder, request, {
      here: () => drive({ id, file: row.file }, flags, (runtime) => adopt(runtime, id, left)),
      atServer: async (server) =>
        (await import('../remote/command-remote.ts')).resumeRemote(id, { ...flags, ...server }),
    });
    if ('done' in reached) return reached.done;
    const { ok, pid, message } = reached.answer;
    if (flags.json) console.log(JSON.stringify({ execution_id: id, status: 'running', pid, ok, message }));
    else console.error(`${id}: ${message} (process ${pid})`);
    return ok ? 0 : 1;
  },
});

/** The engine ends abandoned nested runs whose caller has ended. */
async function adopt(runtime: Runtime, id: string, left: readonly ExecutionRow[]): Promise<State> {
  const state = await adoptRun(runtime, id);
  if (state === undefined) throw new UserError(`there is no run ${id}`, 'see: woof runs', 2);
  for (const { execution_id } of left) await runtime.engine.adopt(execution_id);
  return endOfAdopted(runtime.engine, state);
}

/** In the words of pause and cancel. */
function hasEnded({ execution_id: id, status }: ExecutionRow, json: true | undefined): number {
  if (!json)
    throw new UserError(
      `the run ${id} has ended: ${status}`,
      `to run it again: woof rerun ${id}; to find an interrupted run: woof runs --status running`,
    );
  console.log(
    JSON.stringify({ execution_id: id, status, ok: false, message: `the run has ended: ${status}` }),
  );
  return 1;
}
