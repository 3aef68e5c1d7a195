/**
 * What each state of a Slurm job means to a block.
 *
 * A job whose script came to its end has left its results, and they decide. These words are for the others.
 */
import type { ErrorKind } from '@woof/net';

export interface StateMeaning {
  /** The job will not go on by itself. */
  over: boolean;
  /** What to call it when the script did not come to its end. */
  kind: ErrorKind;
  /** The same job may well succeed when it is submitted again. */
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
  PENDING: goesOn('waits in the queue'),
  CONFIGURING: goesOn('waits for its node to be ready'),
  RUNNING: goesOn('runs'),
  COMPLETING: goesOn('is about to end'),
  SUSPENDED: goesOn('was suspended, and waits to go on'),
  STOPPED: goesOn('was stopped with its resources kept, and waits to go on'),
  SIGNALING: goesOn('gets a signal'),
  RESIZING: goesOn('changes its size'),
  STAGE_OUT: goesOn('moves its files out'),
  EXPEDITING: goesOn('waits in the queue, before others'),
  REQUEUED: goesOn('was put back into the queue after it had begun'),
  REQUEUE_FED: goesOn('goes back into the queue of its federation'),
  REQUEUE_HOLD: goesOn('went back into the queue, where an administrator holds it'),
  RESV_DEL_HOLD: goesOn('is held because its reservation was deleted'),
  POWER_UP_NODE: goesOn('waits for its node to be switched on'),
  UPDATE_DB: goesOn('is being written down'),

  COMPLETED: ended('unknown', true, 'ended before its script did'),
  FAILED: ended('exception', false, 'failed outside of its commands'),
  CANCELLED: ended('cancelled', false, 'was cancelled by somebody else'),
  PREEMPTED: ended('server_error', true, 'was preempted by a job of higher priority'),
  NODE_FAIL: ended('server_error', true, 'was lost with its node'),
  BOOT_FAIL: ended('server_error', true, 'did not start: its node did not boot'),
  LAUNCH_FAILED: ended('server_error', true, 'could not be launched on its node'),
  RECONFIG_FAIL: ended('server_error', true, 'did not start: its node could not be configured'),
  REVOKED: ended('server_error', true, 'was withdrawn by another cluster of the federation'),
  OUT_OF_MEMORY: ended('exception', false, 'used more memory than it may; raise executor.mem_mb'),
  TIMEOUT: ended('timeout', false, 'reached its time limit; raise executor.time_limit'),
  DEADLINE: ended('timeout', false, 'could not end before its deadline'),
  SPECIAL_EXIT: ended('exception', false, 'ended in the special state that an administrator looks at'),
};

/** States of newer versions are waited out: an unknown word says nothing about an end. */
export function stateMeaning(state: string): StateMeaning {
  return Object.hasOwn(STATES, state) ? STATES[state]! : goesOn(`is in state ${state}`);
}

export const knownStates = Object.keys(STATES);
