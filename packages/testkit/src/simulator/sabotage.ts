/** What a test breaks on purpose, to see that a watch notices. */
export type Sabotage =
  | 'forgetful-store'
  | 'two-writers'
  | 'trusting-workers'
  /** A resume takes over a run that is driven. */
  | 'nobody-is-there'
  /** A resume takes over a run whose process is only stopped. */
  | 'stopped-is-gone'
  /** Two resumes both become the driver. */
  | 'blind-claim'
  /** A process gives its lock away while it still writes. */
  | 'early-release'
  /** Ctrl-C leaves leases behind. */
  | 'rude-stop'
  /** A worker reads the execution as it is now, not as it was at the lease. */
  | 'live-state';
