/** `spec.limit {key, concurrency, per_second}`: tasks that share a key wait for each other here, first come first served. */
import { encodeJson, type JsonObject, plainNumber } from '@woof/net';

export interface Limit {
  key: string;
  concurrency: number;
  perSecond: number;
}

/** The limit of a spec, or what is wrong with it. */
export function limitOf(spec: JsonObject): Limit | string | undefined {
  const { limit } = spec;
  if (limit === undefined) return undefined;
  const { key, concurrency, per_second } = (limit ?? {}) as JsonObject;
  if (typeof key !== 'string' || key === '') return 'spec.limit needs a key: the name that the tasks share';
  for (const [name, value] of Object.entries({ concurrency, per_second })) {
    if (value !== undefined && !((plainNumber(value) ?? 0) > 0)) {
      return `expected spec.limit.${name} to be a number above 0, got ${encodeJson(value)}`;
    }
  }
  return {
    key,
    concurrency: plainNumber(concurrency) ?? Number.POSITIVE_INFINITY,
    perSecond: plainNumber(per_second) ?? Number.POSITIVE_INFINITY,
  };
}

/** The place where tasks with a limit wait. */
export interface TaskLimits {
  /** Resolves with the function that returns the place; rejects if the signal aborts first. */
  enter(limit: Limit, signal: AbortSignal, holder: string): Promise<() => void>;
}

interface Queue {
  running: number;
  /** When the next start is due (ms). */
  nextStart: number;
  waiting: (() => void)[];
}

const REMEMBERED_QUEUES = 1000;

/** Limits within this process. */
export class Limits implements TaskLimits {
  private readonly queues = new Map<string, Queue>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  async enter(limit: Limit, signal: AbortSignal): Promise<() => void> {
    const queue = this.queueOf(limit.key);
    if (queue.running < limit.concurrency && queue.waiting.length === 0) queue.running += 1;
    else await this.turn(queue, signal);
    try {
      await this.start(queue, limit, signal);
    } catch (error) {
      leave(queue);
      throw error;
    }
    return () => leave(queue);
  }

  private async start(queue: Queue, limit: Limit, signal: AbortSignal): Promise<void> {
    if (limit.perSecond === Number.POSITIVE_INFINITY) return;
    const now = this.now();
    const start = Math.max(now, queue.nextStart);
    queue.nextStart = start + 1000 / limit.perSecond;
    if (start > now) await delay(start - now, signal);
  }

  /** A task that leaves hands its place directly to the next one, so that no newcomer can slip in between. */
  private turn(queue: Queue, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = () => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const stop = () => {
        queue.waiting = queue.waiting.filter((waiting) => waiting !== take);
        reject(new Error('aborted'));
      };
      if (signal.aborted) return reject(new Error('aborted'));
      signal.addEventListener('abort', stop, { once: true });
      queue.waiting.push(take);
    });
  }

  private queueOf(key: string): Queue {
    let queue = this.queues.get(key);
    if (queue === undefined) {
      if (this.queues.size >= REMEMBERED_QUEUES) this.forgetIdle();
      queue = { running: 0, nextStart: 0, waiting: [] };
      this.queues.set(key, queue);
    }
    return queue;
  }

  private forgetIdle(): void {
    for (const [key, queue] of this.queues) {
      if (queue.running === 0 && queue.waiting.length === 0 && queue.nextStart <= this.now())
        this.queues.delete(key);
    }
  }
}

function leave(queue: Queue): void {
  const next = queue.waiting.shift();
  if (next) next();
  else queue.running -= 1;
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new Error('aborted'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
