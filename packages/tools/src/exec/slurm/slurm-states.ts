/**
 * What each state of a Slurm job means for a block.
 *
 * If a job's script finished, its results decide. These meanings are for all other jobs.
 */
import type { ErrorKind } from '@woof/net';

export interface StateMeaning {
  /** The job will not continue by itself. */
  over: boolean;
  /** The error kind if the script did not finish. */
  kind: ErrorKind;
  /** The same job may succeed if it is submitted again. */
  retryable: boolean;
  words: string;
}

const goesOn = (words: string): StateMeaning => ({ over: false, kind: 'unknown', retryable: true, words });
const ended = (kind: ErrorKind, retryable: boolean, words: string): StateMeaning => ({
  over: true,
  kind,
  retryable,
  words,
});

const STATES: Record<string, StateMeaning> = {
  PENDING: goesOn('is waiting in the queue'),
  CONFIGURING: goesOn('is waiting for its node to be ready'),
  RUNNING: goesOn('is running'),
  COMPLETING: goesOn('is about to end'),
  SUSPENDED: goesOn('was suspended and is waiting to continue'),
  STOPPED: goesOn('was stopped, keeps its resources and is waiting to continue'),
  SIGNALING: goesOn('is receiving a signal'),
  RESIZING: goesOn('is changing its size'),
  STAGE_OUT: goesOn('is staging out its files'),
  EXPEDITING: goesOn('is waiting in the queue with priority'),
  REQUEUED: goesOn('was requeued after it had started'),
  REQUEUE_FED: goesOn('is being requeued in its federation'),
  REQUEUE_HOLD: goesOn('was requeued and is held by an administrator'),
  RESV_DEL_HOLD: goesOn('is held because its reservation was deleted'),
  POWER_UP_NODE: goesOn('is waiting for its node to power up'),
  UPDATE_DB: goesOn('is being recorded'),

  COMPLETED: ended('unknown', true, 'ended before its script finished'),
  FAILED: ended('exception', false, 'failed outside its commands'),
  CANCELLED: ended('cancelled', false, 'was cancelled by someone else'),
  PREEMPTED: ended('server_error', true, 'was preempted by a job of higher priority'),
  NODE_FAIL: ended('server_error', true, 'was lost with its node'),
  BOOT_FAIL: ended('server_error', true, 'did not start: its node did not boot'),
  LAUNCH_FAILED: ended('server_error', true, 'could not be launched on its node'),
  RECONFIG_FAIL: ended('server_error', true, 'did not start: its node could not be configured'),
  REVOKED: ended('server_error', true, 'was withdrawn by another cluster of the federation'),
  OUT_OF_MEMORY: ended('exception', false, 'used more memory than allowed; raise executor.mem_mb'),
  TIMEOUT: ended('timeout', false, 'reached its time limit; raise executor.time_limit'),
  DEADLINE: ended('timeout', false, 'could not finish before its deadline'),
  SPECIAL_EXIT: ended(
    'exception',
    false,
    'ended in the special exit state, which an administrator must review',
  ),
};

/** Unknown states of newer versions are waited out, because they do not say that the job ended. */
export function stateMeaning(state: string): StateMeaning {
  return Object.hasOwn(STATES, state) ? STATES[state]! : goesOn(`is in state ${state}`);
}

export const knownStates = Object.keys(STATES);
