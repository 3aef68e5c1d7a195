/**
 * Runs whose work keeps this thread for long: their turns here, and their tasks if the worker is in this process. While
 * other runs are driven here, such a run waits after each long piece of work, so that it has a quarter of the time,
 * however large the values are that its steps make.
 */
import type { Bounds } from './bounds.ts';
import type { LiveExecution } from './live-execution.ts';

export interface LongTurnParts {
  readonly now: () => number;
  readonly live: ReadonlyMap<string, LiveExecution>;
  readonly bounds: Pick<Bounds, 'hasOthers'>;
}

const LONG_MS = 10;
/** Per ms of the turn. */
const WAIT_MS = 3;
const LONGEST_WAIT_MS = 5000;

interface Waiting {
  timer: NodeJS.Timeout;
  later: (() => void)[];
}

export class LongTurns {
  /** By run: when it may continue. */
  private readonly until = new Map<string, number>();
  private readonly waiting = new Map<string, Waiting>();
  private isClosed = false;

  constructor(private readonly parts: LongTurnParts) {}

  /** Work of the run kept this thread for so long. */
  took(root: string, ms: number): void {
    if (ms < LONG_MS) return;
    const now = this.parts.now();
    for (const [other, until] of this.until) if (until <= now) this.until.delete(other);
    const until = Math.max(this.until.get(root) ?? now, now) + WAIT_MS * ms;
    this.until.set(root, Math.min(until, now + LONGEST_WAIT_MS));
  }

  /** True: no run has to wait. */
  get isEmpty(): boolean {
    return this.until.size === 0;
  }

  /** True: the run must wait, and `later` is called when it may continue. */
  putOff(root: string, later: () => void): boolean {
    const waiting = this.waiting.get(root);
    if (waiting) {
      waiting.later.push(later);
      return true;
    }
    const leftMs = this.leftMs(root);
    if (leftMs === 0) return false;
    this.waiting.set(root, { timer: this.resumeIn(root, leftMs), later: [later] });
    return true;
  }

  private leftMs(root: string): number {
    const left = (this.until.get(root) ?? 0) - this.parts.now();
    if (left <= 0 || this.isClosed || !this.parts.bounds.hasOthers(root)) return 0;
    return Math.min(left, LONGEST_WAIT_MS);
  }

  private resumeIn(root: string, ms: number): NodeJS.Timeout {
    return setTimeout(() => this.resume(root), ms);
  }

  /** A task kept this thread for so long. Resolves when its job may continue; undefined: now. */
  task(executionId: string, ms: number): Promise<void> | undefined {
    const root = this.parts.live.get(executionId)?.root;
    if (root === undefined) return undefined;
    this.took(root, ms);
    let later!: () => void;
    const wait = new Promise<void>((resolve) => {
      later = resolve;
    });
    return this.putOff(root, later) ? wait : undefined;
  }

  /** Nothing is put off any more. */
  close(): void {
    this.isClosed = true;
    for (const [root, { timer }] of this.waiting) {
      clearTimeout(timer);
      this.resume(root);
    }
  }

  /** Other jobs of the run may have kept the thread since. */
  private resume(root: string): void {
    const waiting = this.waiting.get(root);
    if (waiting === undefined) return;
    const leftMs = this.leftMs(root);
    if (leftMs > 0) {
      waiting.timer = this.resumeIn(root, leftMs);
      return;
    }
    this.waiting.delete(root);
    this.until.delete(root);
    for (const each of waiting.later) each();
  }
}
