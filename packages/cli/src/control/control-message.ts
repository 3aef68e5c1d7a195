/** What passes through the control socket: one JSON line each way. */
export interface ControlRequest {
  verb: 'ping' | 'pause' | 'resume' | 'cancel';
  execution_id?: string;
  reason?: string;
}

export interface ControlAnswer {
  ok: boolean;
  pid: number;
  /** What was done, or why not. */
  message: string;
}
