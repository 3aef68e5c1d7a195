/**
 * Drives one execution in this process to its end, its next gate, or the first Ctrl-C.
 *
 * Owns: signals, progress, the control socket, the final messages and the exit code of run, resume and rerun.
 * Does not own: how the execution begins (its caller), what it does (the engine).
 */
import { accountOf, encodeJson, questionsOf, type State, WAITING_FOR_APPROVAL } from '@woof/net';
import { StoreError } from '@woof/stores';
import type { Control } from './control/control-server.ts';
import { LIMIT, limitsOf } from './limit-flags.ts';
import { OutputInOrder } from './progress/output-in-order.ts';
import { createProgress } from './progress/progress.ts';
import { openRuntime, type Runtime, type RuntimeOptions } from './runtime.ts';
import { duration, glyph, harmless, painter, statusWord } from './terminal.ts';
import { columnsOn, joined } from './text-width.ts';
import { withPlaces } from './traceback.ts';
import { DATA } from './verb.ts';
import { INTERRUPTED, watchSignals } from './watch-signals.ts';
import { nextCommands, otherFailures, tracebackLines, whyRunFailed } from './why-run-failed.ts';
import { bundleLines, type TextOf, writeResult } from './write-result.ts';

export interface DriveFlags {
  json?: true;
  quiet?: true;
  data?: string;
  'no-sandbox'?: true;
  'no-cache'?: true;
  limit?: string[];
}

/** The options of every verb that drives a run. */
export const DRIVE_OPTIONS = {
  json: { doc: 'print a JSON report of the run as the last line of stdout' },
  quiet: { doc: 'hide progress and summary; for a notebook, print only the last value' },
  'no-sandbox': { doc: 'run code without a sandbox' },
  'no-cache': { doc: 'run every cell, even if the cache has its result' },
  limit: LIMIT,
  data: DATA,
} as const;

/** Loading `node:net` costs as much as a short run, and a short run ends before anybody could want to talk to it. */
const OPEN_CONTROL_AFTER_MS = 150;

export interface Driven {
  id: string;
  /** The document, for messages. */
  file: string | undefined;
  /** Set for a notebook that starts. */
  foreseen?: RuntimeOptions['foreseen'];
}

export async function drive(
  { id: executionId, file, foreseen }: Driven,
  flags: DriveFlags,
  begin: (runtime: Runtime) => Promise<State>,
): Promise<number> {
  const progress = createProgress(flags);
  const shown = new OutputInOrder(progress);
  const runtime = await openRuntime({
    foreseen,
    data: flags.data,
    sandbox: !flags['no-sandbox'],
    cache: !flags['no-cache'],
    limits: limitsOf(flags.limit),
    onEvents: (id, events, state, from) => {
      if (id === executionId) shown.onEvents(events, state, from);
    },
    onLog: (line, id) => {
      const seq = runtime.engine.stateOf(executionId)?.seq ?? 0;
      const plan = runtime.engine.stateOf(id)?.plan;
      const its = id === executionId ? file : runtime.engine.fileOf(id);
      shown.onLog(plan && its && line.stream === 'stderr' ? withPlaces(line, plan, its) : line, seq);
    },
  });
  const control = controlLater(runtime);
  const signals = watchSignals((line) => progress.say(line));
  try {
    let state = await Promise.race([begin(runtime), signals.first]);
    // A run that waits for a person may continue by itself: a gate can time out.
    while (state?.status === 'running')
      state = await Promise.race([runtime.engine.finished(executionId), signals.first]);
    shown.end();
    if (state !== undefined) {
      const textOf: TextOf = async (reference) => runtime.data.blobs.getText(reference);
      return await finished(state, file, flags, {
        textOf,
        hasShownLogs: progress.showsLogs,
        folder: runtime.data.path,
      });
    }
    return stopped(executionId, runtime.engine.stateOf(executionId), flags);
  } catch (error) {
    throw withRunId(error, executionId);
  } finally {
    shown.end();
    await control.close();
    await runtime.close();
    signals.end();
  }
}

/** Turns a store's message about any run into one about this run. */
function withRunId(error: unknown, executionId: string): unknown {
  if (error instanceof StoreError)
    error.message = error.message.replace('resume RUN', `resume ${executionId}`);
  return error;
}

function stopped(executionId: string, state: State | undefined, flags: DriveFlags): number {
  if (flags.json && state) process.stdout.write(`${encodeJson(accountOf(state))}\n`);
  process.stderr.write(`\nstopped; continue with: woof resume ${executionId}\n`);
  return INTERRUPTED;
}

interface FinishedOptions {
  textOf: TextOf;
  hasShownLogs?: boolean;
  /** The data directory, if the run was driven here. */
  folder?: string;
}

export async function finished(
  state: State,
  file: string | undefined,
  flags: Pick<DriveFlags, 'json' | 'quiet'>,
  { textOf, hasShownLogs = false, folder }: FinishedOptions,
): Promise<number> {
  // Set before anything is written: a reader of stdout that left must not change the exit code.
  process.exitCode = exitStatus(state);
  if (!flags.quiet || state.error)
    process.stderr.write(summary(state, file, { hasShownLogs, isHere: folder !== undefined }));
  if (flags.json) process.stdout.write(`${encodeJson(accountOf(state))}\n`);
  else if (!hasSeenResult(state, flags.quiet)) {
    const isRead = state.plan.kind === 'workflow' && process.stdout.isTTY && !flags.quiet;
    const bundles = isRead && folder !== undefined ? bundleLines(state, folder) : [];
    if (bundles.length > 0) process.stdout.write(`${bundles.join('\n')}\n`);
    else await writeResult(state, textOf, flags.quiet);
  }
  return exitStatus(state);
}

/** On a terminal the values of cells are already shown above. */
function hasSeenResult({ plan, result }: State, quiet = false): boolean {
  return plan.kind === 'notebook' ? !quiet && process.stdout.isTTY === true : result === undefined;
}

/** The exit code of a run that waits for approval. */
export const NEEDS_HUMAN = 3;

function exitStatus({ status }: State): number {
  if (status === 'succeeded') return 0;
  return status === 'needs_human' ? NEEDS_HUMAN : 1;
}

/** A traceback that is shown directly above is not repeated. */
function summary(
  state: State,
  file: string | undefined,
  { hasShownLogs, isHere }: { hasShownLogs: boolean; isHere: boolean },
): string {
  const paint = painter(process.stderr);
  const took = duration((state.ended_at ?? Date.now()) - state.started_at);
  const word = asks(state) ? paint(WAITING_FOR_APPROVAL, 'yellow') : statusWord(state.status, paint);
  const head = `${glyph(state.status, paint)} ${word} ${asks(state) ? 'after' : 'in'} ${took}`;
  const columns = columnsOn(process.stderr);
  const lines = [joined([`${head}, ${stepCount(state)}`, `run ${state.execution_id}`], ', ', columns)];
  if (state.error) {
    const trace = hasShownLogs ? [] : tracebackLines(state, state.error.step, file, paint);
    const why = [...whyRunFailed(state, file, paint), ...trace, ...otherFailures(state)];
    lines.push(...why.map((line) => `  ${line}`), nextCommands(state, file, columns).trimEnd());
  }
  if (asks(state)) lines.push(...questions(state, isHere));
  return `${lines.join('\n')}\n`;
}

const asks = ({ status }: State) => status === 'needs_human';

function stepCount(state: State): string {
  const ran = [...state.steps.values()].filter(({ runs, status }) => runs > 0 && status !== 'needs_human');
  return `${ran.length} of ${state.plan.steps.length} steps`;
}

/** What waits for a person, with the command that answers it. At a server, the person's name is that of the token. */
function questions(state: State, isHere: boolean): string[] {
  return questionsOf(state).flatMap(({ execution_id, step, reason, needs_override, approvers }) => {
    const by = approvers && isHere ? ' --by NAME' : '';
    const override = needs_override ? ' --override' : '';
    const who = approvers ? ` by ${harmless(approvers.join(' or '))}` : '';
    return [
      `  step "${harmless(step)}" is ${WAITING_FOR_APPROVAL}${who}: ${harmless(reason, 'lines')}`,
      `    woof approve ${execution_id} ${harmless(step)}${override}${by}`,
      `    woof reject ${execution_id} ${harmless(step)}${by}`,
    ];
  });
}

function noControl(error: unknown): Control {
  process.stderr.write(`warning: no control socket: ${(error as Error).message}\n`);
  return { close: async () => {} };
}

/** Opens the control socket once the run has lasted a moment; keeps the process alive until then and afterwards. */
function controlLater(runtime: Runtime): Control {
  // Waiting for a person or a distant timer does not keep Node alive.
  const alive = setInterval(() => {}, 3_600_000);
  let opening: Promise<Control> | undefined;
  const open = async () => (await import('./control/control-server.ts')).openControl(runtime);
  const timer = setTimeout(() => {
    // A rebuilt program may have lost its chunk; the run continues without the socket.
    opening = open().catch(noControl);
  }, OPEN_CONTROL_AFTER_MS);
  return {
    close: async () => {
      clearTimeout(timer);
      clearInterval(alive);
      await (await opening)?.close();
    },
  };
}
