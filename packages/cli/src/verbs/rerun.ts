import { newExecutionId, rerunHistory } from '@woof/engine';
import { adoptionFrom, planRerun } from '@woof/net';
import { isLocalDriver } from '@woof/stores';
import { DRIVE_OPTIONS, drive } from '../drive.ts';
import { HOME_OPTIONS, serverOf } from '../home-flags.ts';
import { stateOf, withRun, withWorkload } from '../open-run.ts';
import { folderServer } from '../remote/folder-server.ts';
import { changedWorkload, tellRerun } from '../rerun-preview.ts';
import { unlockRun } from '../secrets/unlock-run.ts';
import { defineVerb, type Flags } from '../verb.ts';
import { checkStep } from './why.ts';

const OPTIONS = {
  from: { doc: 'also run this step again, and every step that follows from it', value: 'STEP' },
  set: {
    doc: 'change a value of the workload; VALUE is YAML, and a dot in KEY sets a nested value; repeatable',
    value: 'KEY=VALUE',
    many: true,
  },
  'dry-run': { doc: 'print which steps would be reused and which would run, and start nothing' },
  ...DRIVE_OPTIONS,
  ...HOME_OPTIONS,
} as const;

export const verb = defineVerb({
  args: ['RUN'],
  options: OPTIONS,
  about:
    'The new run uses the stored plan and the same values. It keeps the results of the steps that succeeded. If the whole run succeeded, every step runs again. With --set, steps that may read a changed value run again.',
  examples: [
    ['woof rerun last', 'run again from where the newest run failed'],
    ['woof rerun last --from publish', 'run again from the step "publish"'],
    ['woof rerun last --set region=eu --dry-run', 'show what would run again with another value'],
  ],
  async run([word = ''], flags) {
    if (serverOf(flags)) return (await import('../remote/command-remote.ts')).rerunRemote(word, flags);
    const server = await serverBehind(word, flags);
    if (server)
      return (await import('../remote/command-remote.ts')).rerunRemote(server.id, {
        ...flags,
        ...server.home,
      });
    const before = await withRun(word, flags, async (run) => {
      const found = await stateOf(run);
      const state = flags.set ? await withWorkload(run, found) : found;
      if (flags.from !== undefined) checkStep(state, flags.from);
      return { row: run.row, state, events: await rerunHistory(run.home.store, run.row.execution_id) };
    });
    const { state, events, row } = before;
    const planned = planRerun(state, { from: flags.from, workload: changedWorkload(state, flags.set) });
    if (flags['dry-run']) return tellRerun({ ...planned, problems: [] }, flags);
    const adopt = adoptionFrom(state, events, planned);
    const requested = events.find((event) => event.name === 'playbook.execution.requested');
    const source = (requested?.data.source ?? {}) as Record<string, string>;
    const id = newExecutionId(Date.now());
    return drive({ id, file: row.file }, flags, async (runtime) => {
      const { engine } = runtime;
      const { plan, granted } = state;
      const { workload } = planned;
      await unlockRun(runtime, { executionId: id, plan, workload, folder: source.folder ?? '.' });
      const request = { executionId: id, plan, source, workload, granted };
      const started = engine.start({ ...request, more: { adopt, ...(state.iter && { iter: state.iter }) } });
      const end = engine.finished(id);
      await started;
      return end;
    });
  },
});

const LOCAL_FLAGS = ['limit', 'no-cache', 'no-sandbox'] as const;

/** A run of this folder's server runs there again, unless a flag applies only to a run in this process. */
async function serverBehind(word: string, flags: Flags<typeof OPTIONS>) {
  if (LOCAL_FLAGS.some((flag) => flags[flag] !== undefined)) return undefined;
  return withRun(word, flags, async ({ home, row }) => {
    const note = folderServer(home.name);
    const isIts = note !== undefined && row.driver != null && !isLocalDriver(row.driver);
    return isIts ? { id: row.execution_id, home: { server: note.url, data: home.name } } : undefined;
  });
}
