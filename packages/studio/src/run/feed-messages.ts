/** What a page and the worker that folds a run say to each other. */
import type { Plan } from '@woof/net';
import { Problem, type ProblemCode } from '@woof/protocol';
import type { Head } from '@woof/run-view';
import type { ServerSource } from './run-now.ts';

/** The calls that the worker answers. The page itself asks the server for the rest of a source. */
export type FeedCalls = Pick<
  ServerSource,
  'drawing' | 'now' | 'at' | 'step' | 'events' | 'seqAt' | 'timeline' | 'iterations'
>;
export type FeedCall = keyof FeedCalls;

export type ToFeed =
  | { type: 'open'; id: string; isSeen: boolean }
  | { type: 'see'; isSeen: boolean }
  | { type: 'call'; call: number; name: FeedCall; args: Parameters<FeedCalls[FeedCall]> };

export type FromFeed =
  | { type: 'opened'; plan: Plan; head: Head }
  | { type: 'head'; head: Head }
  | { type: 'away'; why: string | undefined }
  | { type: 'failed'; failure: Failure }
  | { type: 'answer'; call: number; value: unknown }
  | { type: 'refusal'; call: number; failure: Failure };

/** An error as plain data, which is all that can be sent. */
export interface Failure {
  message: string;
  code?: ProblemCode;
}

export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof Problem ? { message, code: error.code } : { message };
}

export const errorOf = ({ message, code }: Failure): Error =>
  code === undefined ? new Error(message) : new Problem(code, message);
