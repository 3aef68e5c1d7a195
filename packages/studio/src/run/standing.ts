/** Why a run has its status, in words; empty if it is running normally or succeeded. */
import { type Reason, WAITING_FOR_APPROVAL } from '@woof/net';
import type { RunNow } from './run-now.ts';

export interface Why {
  status: RunNow['status'];
  title: string;
  reasons: Reason[];
}

const TITLES: Partial<Record<RunNow['status'], string>> = {
  failed: 'This run failed',
  cancelled: 'This run was cancelled',
  paused: 'This run is paused: running tasks finish, and nothing new starts',
  needs_human: `This run is ${WAITING_FOR_APPROVAL}`,
};

const isWorking = ({ kind }: Reason): boolean => kind === 'running';

export const isQueued = ({ kind }: Reason): boolean => kind === 'worker';

export function standing({ status, reasons, questions, error }: RunNow): Why | undefined {
  if (status === 'succeeded' || status === 'not started') return undefined;
  const title = TITLES[status];
  if (status === 'failed' || status === 'cancelled')
    return { status, title: title!, reasons: merged(ended(reasons, error)) };
  const asked = new Set(questions.map(({ step }) => step));
  const waiting = merged(reasons.filter((one) => one.step !== '' && !isWorking(one) && !asked.has(one.step)));
  if (title !== undefined) return { status, title, reasons: waiting };
  const isSimplyRunning = reasons.length === 0 || reasons.some(isWorking);
  return isSimplyRunning ? undefined : { status, title: 'This run is waiting', reasons: waiting };
}

/** What failed, but not what was skipped because of that. */
function ended(reasons: readonly Reason[], error: RunNow['error']): Reason[] {
  const failed = reasons.filter(({ kind }) => kind !== 'skipped');
  if (error === undefined || failed.some(({ reason }) => reason === error.message)) return failed;
  return [{ step: error.step ?? '', id: '', kind: 'failed', reason: error.message }, ...failed];
}

/** Jobs of a step that stand for the same reason share one line. */
function merged(reasons: readonly Reason[]): Reason[] {
  const groups = new Map<string, Reason[]>();
  for (const one of reasons) {
    const key = JSON.stringify([one.step, one.reason]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map(([first, ...more]) => withCount(first!, more.length + 1));
}

function withCount(one: Reason, count: number): Reason {
  if (count === 1) return one;
  const what = /\/\d+$/.test(one.id) ? 'iterations' : 'runs';
  return { ...one, reason: `${count} ${what}: ${one.reason}` };
}
