/**
 * The conversation between a worker and a server. A worker only makes calls; everything that a server has to say is the
 * answer to a call.
 *
 * Owns: the calls, and what they promise. Does not own: the contents of their messages (http/work.ts).
 * Invariants: a worker may repeat any report, and it counts once; a job is named with its fence, and the answer says
 * whether the worker still holds it; times are the server's.
 */
import type { Assignment, ChildAnswer, Plan } from '@woof/net';
import type { AnswerOf, ReadBody } from './http/calls.ts';
import { Problem } from './problem.ts';

export type { WireExecution, WireIteration, WireJob, WireLogLine } from './http/work.ts';

export const PROTOCOL_VERSION = 4;
/** The last version whose workers do not send it with every call. */
const LAST_UNSAID = 3;

/** What every call of a worker carries. */
export const PROTOCOL_HEADERS = { 'woof-protocol': String(PROTOCOL_VERSION) };

/** A worker of another version is refused at every call, so that none of its messages is misunderstood. */
export function checkProtocol(spoken = LAST_UNSAID): void {
  if (spoken === PROTOCOL_VERSION) return;
  const which = `the server uses version ${PROTOCOL_VERSION} of the worker protocol, and the worker uses version ${spoken}`;
  const older = spoken < PROTOCOL_VERSION ? 'worker' : 'server';
  throw new Problem('worker/protocol', `${which}; upgrade woof on the ${older}`);
}

export interface WorkApi {
  /** Waits until there is something for this worker; an empty answer after `wait_ms`. */
  claim(request: ClaimRequest, signal?: AbortSignal): Promise<ClaimAnswer | NearAnswer>;
  /** Durable once it is answered. */
  report(request: ReportRequest): Promise<ReportAnswer>;
  /** The worker's heartbeat: that it is alive, and what it is working on. */
  beat(request: BeatRequest): Promise<BeatAnswer>;
  /** The worker leaves: the jobs that it still holds are given to others. */
  leave(request: ReadBody<'work.leave'>): Promise<void>;
  plan(hash: string): Promise<Plan>;
  child(request: ChildCall): Promise<ChildAnswer>;
  cancelChild(request: CancelChildRequest): Promise<void>;
  enter(request: EnterRequest): Promise<AnswerOf<'work.enter'>>;
  exit(request: ReadBody<'work.exit'>): Promise<void>;
  log(request: ReadBody<'work.log'>): Promise<void>;
  /** The stored secrets that the document of a job uses, for the worker that holds the job. */
  secrets(request: SecretsRequest): Promise<AnswerOf<'work.secrets'>>;
}

/** What a worker in the server's process can do as well. */
export interface NearWorkApi extends WorkApi {
  /** A task of the execution kept their thread for so long. Resolves when its job may continue; undefined: now. */
  took(executionId: string, ms: number): Promise<void> | undefined;
}

/**
 * `free`: how many more jobs it can take now; with 0 it still learns what it must stop. `draining`: it was told to
 * drain, perhaps elsewhere.
 */
export type ClaimRequest = ReadBody<'work.claim'>;
export type WorkerInfo = Omit<ClaimRequest, 'free' | 'wait_ms' | 'draining'>;
/** Jobs of one execution share the data in `executions`. */
export type ClaimAnswer = AnswerOf<'work.claim'>;
/** The same for a worker in the server's process: its jobs are not serialised. */
export type NearAnswer = Omit<ClaimAnswer, 'jobs' | 'executions'> & { assignments: Assignment[] };
export type JobName = ClaimAnswer['stop'][number];
export type ReportRequest = ReadBody<'work.report'>;
/** For each report, whether the worker still holds the job. */
export type ReportAnswer = AnswerOf<'work.report'>;
/** Everything that the worker is working on. */
export type BeatRequest = ReadBody<'work.beat'>;
export type HeldJobName = BeatRequest['jobs'][number];
export type BeatAnswer = AnswerOf<'work.beat'>;
export type ChildCall = ReadBody<'work.child'>;
/** The worker holds the job that called this execution. */
export type CancelChildRequest = ReadBody<'work.cancelChild'>;
export type SecretsRequest = ReadBody<'work.secrets'>;
export type EnterRequest = ReadBody<'work.enter'>;
