/** What a test breaks on purpose, to verify that a watch notices. */
export type Sabotage =
  | 'forgetful-store'
  | 'two-writers'
  | 'trusting-workers'
  /** A resume takes over a run that is being driven. */
  | 'nobody-is-there'
  /** A resume takes over a run whose process is only stopped. */
  | 'stopped-is-gone'
  /** Two resumes both become the driver. */
  | 'blind-claim'
  /** A process releases its lock while it still writes. */
  | 'early-release'
  /** Ctrl-C leaves leases behind. */
  | 'rude-stop'
  /** A worker reads the execution as it is now, not as it was at the lease. */
  | 'live-state';
