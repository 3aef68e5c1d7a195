/**
 * What a worker and a server say to each other. A worker only calls out; everything that a server has to say is the
 * answer to a call.
 *
 * Invariants: whatever a worker reports it may report again, and it counts once; a job is named with its fence, and the
 * answer says whether it is still the worker's; times are the server's.
 */
import type { ChildAnswer, ChildRequest, JobReport, Json, JsonObject, Pipeline, Plan } from '@woof/net';

export const PROTOCOL_VERSION = 3;

export interface WorkApi {
  /** Waits until there is something for this worker; an empty answer after `wait_ms`. */
  claim(request: ClaimRequest, signal?: AbortSignal): Promise<ClaimAnswer>;
  /** Durable when it is answered. */
  report(request: ReportRequest): Promise<ReportAnswer>;
  /** Says that the worker is there, and what it is at. */
  beat(request: BeatRequest): Promise<BeatAnswer>;
  /** The worker goes: what it still holds is given to others. */
  leave(request: { worker: string }): Promise<void>;
  plan(hash: string): Promise<Plan>;
  child(request: ChildCall): Promise<ChildAnswer>;
  cancelChild(request: CancelChildRequest): Promise<void>;
  enter(request: EnterRequest): Promise<{ wait_ms: number }>;
  exit(request: { key: string; holder: string }): Promise<void>;
  log(request: { lines: WireLogLine[] }): Promise<void>;
  /** The secrets of the store that the document of a job uses, for the worker that holds the job. */
  secrets(request: SecretsRequest): Promise<{ secrets: Record<string, Record<string, string>> }>;
}

export interface WorkerInfo {
  worker: string;
  protocol: number;
  version: string;
  slots: number;
  labels: Record<string, string>;
  /** Kinds of tools that it has; `cell` where it runs notebooks. */
  kinds: string[];
}

export interface ClaimRequest extends WorkerInfo {
  /** How many more jobs it can take now; 0 still hears what it must stop. */
  free: number;
  wait_ms: number;
  /** It was told to drain, perhaps by another server. */
  draining?: true | undefined;
}

export interface ClaimAnswer {
  /** The server's time, ms. */
  now: number;
  /** How long the server had the claim. What else passed until the answer is there was spent on the way. */
  waited_ms: number;
  jobs: WireJob[];
  /** By id: what the jobs of one execution share. */
  executions: Record<string, WireExecution>;
  /** Jobs that are no longer wanted. */
  stop: JobName[];
  /** Executions that are over: kernels and files kept for them may go. */
  ended: string[];
}

export interface JobName {
  execution_id: string;
  job_id: string;
}

export interface HeldJobName extends JobName {
  fence: number;
}

export interface WireExecution {
  plan: string;
  source: JsonObject;
  granted: JsonObject;
  caller_iter?: JsonObject;
  workload: JsonObject;
  ctx: JsonObject;
  /** Results by step. */
  results: JsonObject;
  labels: JsonObject;
  /** Results of named tasks, by step and label; servers of earlier versions do not tell. */
  tasks?: Record<string, JsonObject>;
}

export interface WireJob extends HeldJobName {
  /** By the clock of the server that answers. */
  leased_at: number;
  step_run_id: string;
  step: string;
  args: JsonObject;
  pipeline: Pipeline;
  iteration?: WireIteration;
}

export interface WireIteration {
  iterator: string;
  item: Json;
  index: number;
  length: number;
  parent?: WireIteration;
}

export interface ReportRequest {
  worker: string;
  reports: (HeldJobName & { reports: JobReport[] })[];
}

export interface ReportAnswer {
  /** For each report, whether the job is still the worker's. */
  held: boolean[];
}

export interface BeatRequest extends WorkerInfo {
  /** Everything it is at. */
  jobs: HeldJobName[];
}

export interface BeatAnswer {
  now: number;
  /** A worker that is silent for so long loses its jobs. */
  ttl_ms: number;
  /** Of these, what is no longer its. */
  stop: JobName[];
  /** How soon to say it again, ms. */
  again_ms: number;
  /** The worker is to finish what it has begun, and begins nothing new. */
  drain?: true;
}

export interface ChildCall {
  worker: string;
  execution_id: string;
  job_id: string;
  fence: number;
  granted: JsonObject;
  request: ChildRequest;
}

export interface CancelChildRequest {
  worker: string;
  /** The nested playbook; the worker holds the job that called it. */
  execution_id: string;
  reason: string;
}

export interface SecretsRequest extends HeldJobName {
  worker: string;
}

export interface EnterRequest {
  worker: string;
  key: string;
  holder: string;
  concurrency: number | null;
  per_second: number | null;
}

export interface WireLogLine {
  execution_id: string;
  at: string;
  step: string;
  job_id: string;
  task_run_id: string;
  stream: 'stdout' | 'stderr';
  text: string;
}
