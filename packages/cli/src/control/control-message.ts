/** The messages on the control socket: one JSON line each way. */
import type { AnswerStep } from '@woof/net';

export interface ControlRequest {
  verb: 'pause' | 'resume' | 'cancel' | 'answer';
  execution_id: string;
  reason?: string;
  /** A person's answer to a waiting step. */
  answer?: Omit<AnswerStep, 'type'>;
}

export interface ControlAnswer {
  ok: boolean;
  pid: number;
  /** What was done, or why not. */
  message: string;
}
