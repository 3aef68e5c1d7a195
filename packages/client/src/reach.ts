/**
 * Tracks whether a server answers, over several calls: callers that wait for it learn when it stops answering and when
 * it is back.
 *
 * Owns: when a silent server counts as away, when it is called again, when to give up. Does not own: what the calls
 * are.
 */
import { KEEP_ALIVE_MS, Problem } from '@woof/protocol';
import { Unreachable } from './client.ts';

export interface ReachOptions {
  /** A server that is silent for this long is away. While it is up, its streams are never that silent. */
  silentMs?: number;
  /** How long a server may be away; default: forever. */
  giveUpMs?: number;
  /** Called each time that it goes away. */
  onAway?: (why: string) => void;
  onBack?: () => void;
  /** Ends the pauses between attempts. */
  signal?: AbortSignal | undefined;
}

const AGAIN_MS = 300;
const LONGEST_PAUSE_MS = 5000;
const SILENT_MS = 2.5 * KEEP_ALIVE_MS;

export class Reach {
  readonly silentMs: number;
  /** Since when it has not answered. */
  private awaySince: number | undefined;
  private pauseMs = AGAIN_MS;

  /** `url`: for messages. */
  constructor(
    private readonly url: string,
    private readonly options: ReachOptions = {},
  ) {
    this.silentMs = options.silentMs ?? SILENT_MS;
  }

  /** Call when the server has answered. */
  heard(): void {
    if (this.awaySince === undefined) return;
    this.awaySince = undefined;
    this.options.onBack?.();
  }

  /**
   * Call when the server has sent something new: if it breaks off then, it is retried soon. A server that merely
   * accepts calls is not.
   */
  advanced(): void {
    this.pauseMs = AGAIN_MS;
  }

  /** Retries until there is an answer. A refusal is an answer. */
  async insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.listen(ask());
      } catch (error) {
        await this.again(error);
      }
    }
  }

  /** Waits for a single answer, however long it takes. */
  async listen<T>(answer: Promise<T>): Promise<T> {
    const silent = setTimeout(() => this.away(this.silence()), this.silentMs);
    try {
      const value = await answer;
      this.heard();
      this.advanced();
      return value;
    } finally {
      clearTimeout(silent);
    }
  }

  /**
   * After a failure: resolves when it is time to retry. Throws errors that a retry cannot fix, and throws once the
   * server has been away for too long.
   */
  async again(error: unknown): Promise<void> {
    const { giveUpMs = Number.POSITIVE_INFINITY, signal } = this.options;
    if (signal?.aborted || !mayPass(error)) throw error;
    const { message } = error as Error;
    this.away(error instanceof Problem ? `the server at ${this.url} cannot answer: ${message}` : message);
    const leftMs = giveUpMs - (performance.now() - this.awaySince!);
    if (leftMs > 0) return this.pause(leftMs);
    const what = `the server at ${this.url} has not answered for ${giveUpMs / 1000} s`;
    throw new Unreachable(what, { cause: error });
  }

  /** Longer each time, until something new is received. */
  async pause(mostMs = LONGEST_PAUSE_MS): Promise<void> {
    const { signal } = this.options;
    await pause(Math.min(this.pauseMs, mostMs), signal);
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
  }

  silence(): string {
    return `the server at ${this.url} has been silent for ${this.silentMs / 1000} s`;
  }

  private away(why: string): void {
    if (this.awaySince !== undefined) return;
    this.awaySince = performance.now();
    this.options.onAway?.(why);
  }
}

/** The server is away, overloaded, or cannot reach its store: that may pass soon. */
function mayPass(error: unknown): boolean {
  if (error instanceof Problem) return error.status >= 500 || error.status === 429;
  return error instanceof Unreachable;
}

/** Browsers have no `node:timers`. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
