/**
 * Whether this engine shares its store with other servers, and everything that follows from it.
 *
 * `alone.ts`: a process that has its executions to itself. It keeps them in memory until they end, and fails if its
 * store fails.
 * `shared.ts`: a server among servers. It takes executions over, releases idle ones from memory, and retries.
 * Read both side by side: what is not here is the same for both, and no other file asks which of them it is.
 */
import type { Command, Job, JsonObject, State } from '@woof/net';
import type { LiveExecution } from '../live-execution.ts';

export interface Sharing {
  /** The names of this process in new executions: in their row, and in their log. */
  readonly names: DriverNames;

  // Executions that are not in memory.

  /** Loads it into memory. Undefined: it has ended, or this process may not decide on it. */
  load(executionId: string): Promise<LiveExecution | undefined>;
  /** The state of an execution that was started earlier. It continues here unless another process drives it. */
  find(executionId: string): Promise<State | undefined>;
  /** A command that nobody waits for. */
  send(executionId: string, command: Command): void;

  // What may differ between memory and store.

  /** True: nobody else has written to it since it was read. Otherwise it is forgotten. */
  isCurrent(execution: LiveExecution): Promise<boolean>;
  /** Why a nested run cannot be started with this; undefined if it can. */
  workloadFault(workload: JsonObject): string | undefined;

  // Waiting executions.

  /** A job waits. The child that it waits for may have ended, or asked a person, earlier. */
  watchChild(execution: LiveExecution, job: Job): void;
  /** The same when its wait has just become durable. */
  lookAtChild(execution: LiveExecution, jobId: string): void;
  /** Completes a frame before it is written. */
  complete(execution: LiveExecution): void;
  /** The execution may no longer need memory. */
  rest(execution: LiveExecution): void;
  /** How many executions wait outside of memory. */
  readonly resting: number;
  /** Stops waking resting executions. */
  clear(): void;

  // Failures and retries.

  /** True if the engine continues although the store refused something as a whole. */
  isPassing(error: unknown): boolean;
  /** The store accepted something. */
  written(): void;
  /** The last write that the store did not accept, and when; undefined once it has accepted one. */
  readonly lastUnwritten: { error: unknown; at: number } | undefined;
  /** A decision broke off halfway: its state is not what the log says. */
  brokeOff(execution: LiveExecution, error: unknown): void;
  /** A job could not be leased. Throws if the engine must stop. */
  notLeased(execution: LiveExecution, error: unknown): void;
  /** Another process wrote to an execution that is live here. */
  overtaken(executionId: string): void;
  /**
   * What is in memory is void, or a turn failed that nobody waits for: looks at the execution again, if that may help.
   */
  again(executionId: string, error: unknown): void;
  /** Something else about it failed; `act` tries again. */
  later(executionId: string, what: string, error: unknown, act: () => void): void;
  /** Nothing about it needs to be retried any more. */
  settled(executionId: string): void;
}

export interface DriverNames {
  readonly row: string | undefined;
  readonly log: string | undefined;
}
