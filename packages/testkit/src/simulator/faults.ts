/** What may go wrong, and how often. Each kind can be switched off, which is how a failing seed is made smaller. */
export const FAULTS = [
  'crash-server',
  'crash-worker',
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
] as const;

export type Fault = (typeof FAULTS)[number];

export interface Shape {
  seed: number;
  servers: number;
  workers: number;
  executions: number;
  /** How long things go wrong, ms of simulated time. */
  troubledMs: number;
  faults: ReadonlySet<Fault>;
}
