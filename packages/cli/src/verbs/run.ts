import { existsSync } from 'node:fs';
import { newExecutionId } from '@woof/engine';
import { checkEnvironment, INSTALL } from '../check-environment.ts';
import { locateData } from '../data-directory.ts';
import { DRIVE_OPTIONS, drive, NEEDS_HUMAN } from '../drive.ts';
import { hasServer } from '../drivers/drivers.ts';
import { GRANTS, grantsOf } from '../grants.ts';
import {
  type ReadPlan,
  readPlan,
  readText,
  refuseInvalid,
  refuseUngranted,
  type Selection,
} from '../read-plan.ts';
import { isRunWord } from '../run-word.ts';
import { unlockRun } from '../secrets/unlock-run.ts';
import { applySets, unknownSets } from '../set-flags.ts';
import { UPGRADE } from '../upgrade-text.ts';
import { UserError } from '../user-error.ts';
import { defineVerb, type Flags } from '../verb.ts';
import { warnOf } from '../warn-of.ts';

const OPTIONS = {
  set: {
    doc: 'set a workload value or notebook parameter; VALUE is YAML, and a dot in KEY sets a nested value; repeatable',
    value: 'KEY=VALUE',
    many: true,
  },
  allow: GRANTS,
  cell: {
    doc: 'run only this cell of a notebook and the cells it depends on; repeatable',
    value: 'ID',
    many: true,
  },
  'no-deps': { doc: 'with --cell: do not run the cells it depends on' },
  install: INSTALL,
  upgrade: UPGRADE,
  watch: { doc: 'run again whenever the document is saved, until Ctrl-C' },
  local: { doc: 'run in this process even if a server is serving the data directory' },
  ...DRIVE_OPTIONS,
} as const;

type RunFlags = Flags<typeof OPTIONS>;

export const verb = defineVerb({
  args: ['FILE'],
  options: OPTIONS,
  about:
    'Press Ctrl-C to stop the run. To continue it, use woof resume. With --watch, Woof runs the document in this process, and runs it again whenever you save the document, a script that it names or a playbook that it calls. If you save while a run is in progress or waiting for approval, Woof cancels that run.',
  instead: 'to run it on a server: woof submit FILE',
  examples: [
    ['woof run orders.yaml --set limit=10 --set user.name=Ada', 'set workload values'],
    ['woof run orders.yaml --json | tail -1 | jq .status', 'print the status, for scripts'],
    ['woof run analysis.woofnb --watch', 'run again on every save; unchanged cells come from the cache'],
    ['woof run analysis.woofnb --cell plot', 'run one cell and the cells it depends on'],
  ],
  async run([file = ''], flags) {
    refuseRun(file);
    if (!flags.watch) return runOnce(file, flags);
    // A wrong name is a mistake, not something to wait for.
    readText(file);
    return runOnSave(file, flags);
  },
});

function refuseRun(word: string): void {
  if (!isRunWord(word) || existsSync(word)) return;
  throw new UserError(
    `cannot read ${word}: there is no such file`,
    `to run a run again: woof rerun ${word}`,
    2,
  );
}

const SAVED = 'the document was saved';

async function runOnSave(file: string, flags: RunFlags): Promise<number> {
  const { watchRuns } = await import('../watch/watch-runs.ts');
  const { filesOfDocument } = await import('../watch/files-of-document.ts');
  let waiting: string | undefined;
  return watchRuns({
    files: () => filesOfDocument(file, flags.data),
    run: async (outdated) => {
      waiting = undefined;
      const id = newExecutionId(Date.now());
      const status = await runOnce(file, { ...flags, local: true }, { id, outdated });
      if (status === NEEDS_HUMAN) waiting = id;
      return status;
    },
    cancelWaiting: async () => {
      if (waiting === undefined) return;
      const { commandLocal } = await import('../control/command-local.ts');
      await commandLocal(locateData(flags.data).path, 'cancel', waiting, SAVED);
    },
    quiet: flags.quiet === true,
  });
}

interface OneRun {
  id: string;
  /** Aborts when the result of this run is no longer wanted. */
  outdated?: AbortSignal;
}

async function runOnce(
  file: string,
  flags: RunFlags,
  { id, outdated }: OneRun = { id: newExecutionId(Date.now()) },
): Promise<number> {
  const granted = grantsOf(flags.allow);
  const read = readPlan(file, '.', selectionOf(flags));
  const plan = refuseInvalid(read, file);
  refuseUngranted(read, file, granted);
  await checkEnvironment(read.notebook, flags);
  const workload = applySets(plan.workload, flags.set ?? [], { keepTypes: plan.kind === 'notebook' });
  if (!flags.quiet) warn(read, file, unknownSets(plan, flags.set ?? [], read.text));
  const folder = locateData(flags.data).path;
  if (!flags.local && hasServer(folder)) {
    const { handOver } = await import('../remote/hand-over.ts');
    const status = await handOver({ folder, read, plan, workload, granted }, flags);
    if (status !== undefined) return status;
  }
  const { source } = read;
  const begun = { execution_id: id, plan, source, granted: granted ?? {} };
  const foreseen = read.notebook && { ...begun, world: { workload, steps: new Map() } };
  return drive({ id, file: source.file, foreseen }, flags, async (runtime) => {
    const { engine } = runtime;
    await unlockRun(runtime, { executionId: id, plan, workload, folder: source.folder });
    const request = { executionId: id, plan, source, text: read.text, workload };
    const started = engine.start({ ...request, ...(granted && { granted }) });
    // Requested before `started` is awaited: a run without tasks ends within its first commit.
    const end = engine.finished(id);
    await started;
    const cancel = () => engine.command(id, { type: 'CancelExecution', reason: SAVED });
    outdated?.addEventListener('abort', () => void cancel().catch(() => undefined), { once: true });
    if (outdated?.aborted) await cancel();
    return end;
  });
}

function selectionOf(flags: { cell?: string[]; 'no-deps'?: true; upgrade?: true; data?: string }): Selection {
  if (flags['no-deps'] && !flags.cell) {
    throw new UserError('--no-deps has no effect without --cell', 'name the cells with --cell ID', 2);
  }
  return {
    ...(flags.cell ? { cells: flags.cell } : {}),
    alone: flags['no-deps'] ?? false,
    upgrade: flags.upgrade ?? false,
    data: flags.data,
  };
}

/** A user who granted a permission knows that a cell declares more than the header allows. */
const OF_LINT = new Set(['notebook/policy-conflict', 'notebook/implied-files']);

function warn(read: ReadPlan, file: string, unknown: readonly string[]): void {
  for (const text of unknown) process.stderr.write(`warning: ${text}\n`);
  const told = read.diagnostics.filter(({ code }) => !OF_LINT.has(code));
  warnOf(told, read.text, file);
}
