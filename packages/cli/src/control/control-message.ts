/** What passes through the control socket: one JSON line each way. */
import type { AnswerStep } from '@woof/net';

export interface ControlRequest {
  verb: 'pause' | 'resume' | 'cancel' | 'answer';
  execution_id: string;
  reason?: string;
  /** What a person says to a step that waits. */
  answer?: Omit<AnswerStep, 'type'>;
}

export interface ControlAnswer {
  ok: boolean;
  pid: number;
  /** What was done, or why not. */
  message: string;
}
