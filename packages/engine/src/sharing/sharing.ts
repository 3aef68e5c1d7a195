/**
 * Whether this engine shares its store with other servers, and all that follows from it.
 *
 * `alone.ts`: a process that has its executions to itself. It keeps them in memory until they end, and ends with its store.
 * `shared.ts`: a server among servers. It takes executions over, lets idle ones go from memory, and tries again.
 * Read both side by side: what is not here is the same for both, and nothing else asks which of them it is.
 */
import type { Command, Job, JsonObject, State } from '@woof/net';
import type { LiveExecution } from '../live-execution.ts';

export interface Sharing {
  /** What new executions call this process: in their row, and in their log. */
  readonly names: DriverNames;

  // Executions that are not in memory.

  /** Brings it into memory. Undefined: it has ended, or nobody may decide on it here. */
  load(executionId: string): Promise<LiveExecution | undefined>;
  /** The state of one that was started before, which goes on here unless another process drives it. */
  find(executionId: string): Promise<State | undefined>;
  /** A command that nobody waits for. */
  send(executionId: string, command: Command): void;

  // What may differ between memory and store.

  /** Nobody else has written to it since it was read; otherwise it is forgotten. */
  isCurrent(execution: LiveExecution): Promise<boolean>;
  /** Why a nested run cannot be started with this; undefined if it can. */
  workloadFault(workload: JsonObject): string | undefined;

  // Executions that wait.

  /** A job waits. The child that it waits for may have ended, or asked a person, before. */
  watchChild(execution: LiveExecution, job: Job): void;
  /** The same when its wait has just become durable. */
  lookAtChild(execution: LiveExecution, jobId: string): void;
  /** The last word on a frame before it is written. */
  complete(execution: LiveExecution): void;
  /** It may need no memory any more. */
  rest(execution: LiveExecution): void;
  /** How many wait outside of memory. */
  readonly resting: number;
  /** Nobody wakes what rests. */
  clear(): void;

  // What does not come through.

  /** Whether the engine goes on although the store refused something as a whole. */
  isPassing(error: unknown): boolean;
  /** The store took something. */
  written(): void;
  /** The last thing that the store did not take, and when; undefined since it took one. */
  readonly lastUnwritten: { error: unknown; at: number } | undefined;
  /** A decision broke off half-way: its state is not what the log says. */
  brokeOff(execution: LiveExecution, error: unknown): void;
  /** A job could not be leased. Throws where the engine must stop. */
  notLeased(execution: LiveExecution, error: unknown): void;
  /** Another wrote to an execution that is live here. */
  overtaken(executionId: string): void;
  /** What is in memory is void, or a turn failed that nobody waits for: it is looked at again, if that may help. */
  again(executionId: string, error: unknown): void;
  /** Something else about it failed; `act` tries once more. */
  later(executionId: string, what: string, error: unknown, act: () => void): void;
  /** Nothing about it needs to be tried any more. */
  settled(executionId: string): void;
}

export interface DriverNames {
  readonly row: string | undefined;
  readonly log: string | undefined;
}
