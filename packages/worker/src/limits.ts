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

/** Where tasks with a limit wait. */
export interface Gates {
  /** Resolves with the function that gives the place back; rejects when the signal aborts first. */
  enter(limit: Limit, signal: AbortSignal, holder: string): Promise<() => void>;
}

interface Gate {
  running: number;
  /** When the next start is due (ms). */
  nextStart: number;
  waiting: (() => void)[];
}

const REMEMBERED_GATES = 1000;

/** Within this process. */
export class Limits implements Gates {
  private readonly gates = new Map<string, Gate>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  async enter(limit: Limit, signal: AbortSignal): Promise<() => void> {
    const gate = this.gateOf(limit.key);
    if (gate.running < limit.concurrency && gate.waiting.length === 0) gate.running += 1;
    else await this.turn(gate, signal);
    try {
      await this.start(gate, limit, signal);
    } catch (error) {
      leave(gate);
      throw error;
    }
    return () => leave(gate);
  }

  private async start(gate: Gate, limit: Limit, signal: AbortSignal): Promise<void> {
    if (limit.perSecond === Number.POSITIVE_INFINITY) return;
    const now = this.now();
    const start = Math.max(now, gate.nextStart);
    gate.nextStart = start + 1000 / limit.perSecond;
    if (start > now) await delay(start - now, signal);
  }

  /** Who leaves hands its place over, so that nobody can slip in between. */
  private turn(gate: Gate, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = () => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const stop = () => {
        gate.waiting = gate.waiting.filter((waiting) => waiting !== take);
        reject(new Error('aborted'));
      };
      if (signal.aborted) return reject(new Error('aborted'));
      signal.addEventListener('abort', stop, { once: true });
      gate.waiting.push(take);
    });
  }

  private gateOf(key: string): Gate {
    let gate = this.gates.get(key);
    if (gate === undefined) {
      if (this.gates.size >= REMEMBERED_GATES) this.forgetIdle();
      gate = { running: 0, nextStart: 0, waiting: [] };
      this.gates.set(key, gate);
    }
    return gate;
  }

  private forgetIdle(): void {
    for (const [key, gate] of this.gates) {
      if (gate.running === 0 && gate.waiting.length === 0 && gate.nextStart <= this.now())
        this.gates.delete(key);
    }
  }
}

function leave(gate: Gate): void {
  const next = gate.waiting.shift();
  if (next) next();
  else gate.running -= 1;
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
