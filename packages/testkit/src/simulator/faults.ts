/** What may go wrong, and how often. Each kind can be switched off, which is how a failing seed is shrunk. */
export const FAULTS = [
  'crash-server',
  'crash-worker',
  'sleep',
  'lose-request',
  'lose-answer',
  'duplicate',
  'delay',
  'partition',
  'store-away',
  'store-answer-lost',
  'torn-batch',
  'clock-skew',
  'tool-fails',
  'people',
  'crash-process',
] as const;

export type Fault = (typeof FAULTS)[number];

/** Kinds of tools: one only computes, one has an effect and returns at once, one takes a while. */
export const KINDS = ['pure', 'instant', 'slow'] as const;

export type Kind = (typeof KINDS)[number];

export interface Shape {
  seed: number;
  servers: number;
  /** How many of the servers have a worker in their own process. */
  near: number;
  /** Workers that are separate processes; each of their calls goes to any server. */
  workers: number;
  /** The maximum per worker. */
  slots: number;
  /** How many local processes may resume one run at the same moment; 0: machines share the store, but no folder. */
  processes: number;
  executions: number;
  /** Whether some plans have a loop with many iterations. */
  wide: boolean;
  /** Whether some tasks share a limit. */
  limited: boolean;
  kinds: readonly Kind[];
  /** The period in which executions are submitted and faults occur, in ms of simulated time. */
  troubledMs: number;
  /** Empty: the run is quiet, and nothing may wait for a clock. */
  faults: ReadonlySet<Fault>;
}
