/**
 * How long a job may keep the thread before others continue.
 *
 * Owns: how many tasks that only compute may run in a row before the job waits for the disk, and how it lets others go
 * first after it kept the thread for long. Does not own: who the others are (engine/src/long-turns.ts).
 */
import type { Assignment, JobPort, Task } from '@woof/net';
import { isPure } from './own-kinds.ts';
import type { JobOfTask, PerformOptions } from './performance.ts';

const LONGEST_PURE_RUN = 64;
const LONGEST_PURE_MS = 10;

/** Fields of the job itself, so that a task needs no further object. */
export interface Pace {
  /** The tasks that ran in a row without waiting for the disk, and how long they kept the thread. */
  pureRun: number;
  pureMs: number;
  /** Resolves when the next task may begin, because the last one kept the thread for long. */
  othersFirst: Promise<void> | undefined;
}

/**
 * True: the task only computes, and such tasks have not run for long. Any other task waits until everything before it
 * is durable.
 */
export function mayRunAhead(pace: Pace, task: Task, tools: PerformOptions['tools']): boolean {
  const isShort = ++pace.pureRun < LONGEST_PURE_RUN && pace.pureMs < LONGEST_PURE_MS;
  if (isShort && isPure(task, tools)) return true;
  pace.pureRun = 0;
  pace.pureMs = 0;
  return false;
}

/** The job rendered, judged or encoded since then, without waiting for anything. */
export function keptThread(pace: Pace, port: JobPort, assignment: Assignment, since: number): void {
  const ms = port.host.now() - since;
  if (ms <= 0) return;
  pace.pureMs += ms;
  pace.othersFirst = port.took?.(assignment, ms) ?? pace.othersFirst;
}

/** Without a slot, and until the job is aborted at most. */
export async function letOthersGoFirst(
  job: Pace & Pick<JobOfTask, 'onStop'>,
  wait: Promise<void>,
  aside: PerformOptions['aside'],
): Promise<void> {
  job.othersFirst = undefined;
  let end!: () => void;
  const waiting = () =>
    new Promise<void>((resolve) => {
      end = job.onStop(() => resolve());
      void wait.then(resolve);
    });
  await (aside?.(waiting) ?? waiting());
  end();
}
