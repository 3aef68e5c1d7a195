/**
 * What a worker and a server say to each other. A worker only calls out; everything that a server has to say is the
 * answer to a call.
 *
 * Owns: the calls, and what they promise. Does not own: what their messages are made of (http/work.ts).
 * Invariants: whatever a worker reports it may report again, and it counts once; a job is named with its fence, and the
 * answer says whether it is still the worker's; times are the server's.
 */
import type { Assignment, ChildAnswer, Plan } from '@woof/net';
import type { AnswerOf, ReadBody } from './http/schemas.ts';
import { Problem } from './problem.ts';

export type { WireExecution, WireIteration, WireJob, WireLogLine } from './http/work.ts';

export const PROTOCOL_VERSION = 3;
/** The last version whose workers do not say it with every call. */
const LAST_UNSAID = 3;

/** What every call of a worker carries. */
export const PROTOCOL_HEADERS = { 'woof-protocol': String(PROTOCOL_VERSION) };

/** A worker of another version is told so at every call, so that nothing it says is half understood. */
export function checkProtocol(spoken = LAST_UNSAID): void {
  if (spoken === PROTOCOL_VERSION) return;
  const which = `the server uses version ${PROTOCOL_VERSION} of the worker protocol, and the worker uses version ${spoken}`;
  const older = spoken < PROTOCOL_VERSION ? 'worker' : 'server';
  throw new Problem('worker/protocol', `${which}; upgrade woof on the ${older}`);
}

export interface WorkApi {
  /** Waits until there is something for this worker; an empty answer after `wait_ms`. */
  claim(request: ClaimRequest, signal?: AbortSignal): Promise<ClaimAnswer | NearAnswer>;
  /** Durable when it is answered. */
  report(request: ReportRequest): Promise<ReportAnswer>;
  /** Says that the worker is there, and what it is at. */
  beat(request: BeatRequest): Promise<BeatAnswer>;
  /** The worker goes: what it still holds is given to others. */
  leave(request: ReadBody<'work.leave'>): Promise<void>;
  plan(hash: string): Promise<Plan>;
  child(request: ChildCall): Promise<ChildAnswer>;
  cancelChild(request: CancelChildRequest): Promise<void>;
  enter(request: EnterRequest): Promise<AnswerOf<'work.enter'>>;
  exit(request: ReadBody<'work.exit'>): Promise<void>;
  log(request: ReadBody<'work.log'>): Promise<void>;
  /** The secrets of the store that the document of a job uses, for the worker that holds the job. */
  secrets(request: SecretsRequest): Promise<AnswerOf<'work.secrets'>>;
}

/** `free`: how many more jobs it can take now; 0 still hears what it must stop. `draining`: it was told to, perhaps elsewhere. */
export type ClaimRequest = ReadBody<'work.claim'>;
export type WorkerInfo = Omit<ClaimRequest, 'free' | 'wait_ms' | 'draining'>;
/** Jobs of one execution share what `executions` holds of it. */
export type ClaimAnswer = AnswerOf<'work.claim'>;
/** The same for a worker in the server's process: its jobs cross no wire. */
export type NearAnswer = Omit<ClaimAnswer, 'jobs' | 'executions'> & { assignments: Assignment[] };
export type JobName = ClaimAnswer['stop'][number];
export type ReportRequest = ReadBody<'work.report'>;
/** For each report, whether the job is still the worker's. */
export type ReportAnswer = AnswerOf<'work.report'>;
/** Everything that the worker is at. */
export type BeatRequest = ReadBody<'work.beat'>;
export type HeldJobName = BeatRequest['jobs'][number];
export type BeatAnswer = AnswerOf<'work.beat'>;
export type ChildCall = ReadBody<'work.child'>;
/** The worker holds the job that called this execution. */
export type CancelChildRequest = ReadBody<'work.cancelChild'>;
export type SecretsRequest = ReadBody<'work.secrets'>;
export type EnterRequest = ReadBody<'work.enter'>;
