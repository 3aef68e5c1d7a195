/**
 * Jobs that stay together: those of a notebook, of a local run, and the iterations of a loop whose `exec` is local.
 * Their home is the worker that last took one of them; if it is gone, another worker becomes their home.
 */
import { loopIdAt } from './iteration.ts';
import { indexOf } from './plan-index.ts';
import type { Job, LoopState, State } from './state.ts';

/** The worker that must take the job; undefined: any worker may. */
export function homeWorker(state: State, job: Job): string | undefined {
  return staysTogether(state) ? state.session_worker : localLoop(state, job)?.worker;
}

/** Called when a worker has taken the job. */
export function noteHome(state: State, job: Job, worker: string): void {
  if (staysTogether(state)) state.session_worker = worker;
  else {
    const loop = localLoop(state, job);
    if (loop) loop.worker = worker;
  }
}

function staysTogether({ plan }: State): boolean {
  return plan.kind === 'notebook' || plan.isLocal === true;
}

/** The outermost local loop: everything that runs inside it stays too. */
function localLoop(state: State, job: Job): LoopState | undefined {
  if (job.loop === null) return undefined;
  let spec = indexOf(state.plan).step(job.step).loop;
  for (let depth = 0; spec !== undefined; depth++, spec = spec.inner)
    if (spec.exec === 'local') return state.loops.get(loopIdAt(state, job, depth));
  return undefined;
}
