/** The defaults of a workflow. */
export const DEFAULTS = {
  name: 'workflow',
  kind: 'exec_block',
  workdir: '.',
  executor: { kind: 'local' },
  halt_on_error: true,
  allow_shell: false,
  allow_failure: false,
  sandbox: false,
  resumable: false,
  backoff: 'none',
  delay_sec: 0,
  poll_ms: 2000,
} as const;
