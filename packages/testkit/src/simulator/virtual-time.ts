/**
 * Time that passes only when nothing else can happen.
 *
 * JavaScript's timers are replaced while a simulation runs, so that the real engine and worker run on it unchanged.
 * Whatever a simulated process starts belongs to it. When the process is killed, nothing of it runs any more; while it
 * sleeps, nothing runs, and then everything continues.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Random } from './random.ts';

/** One simulated process. */
export class Life {
  alive = true;
  asleepUntil = 0;
  /** The total time it has slept so far. */
  sleptMs = 0;
  private readonly mourners = new Set<() => void>();

  constructor(readonly name: string) {}

  kill(): void {
    this.alive = false;
    for (const told of this.mourners) told();
    this.mourners.clear();
  }

  /** Returns a function that unsubscribes. */
  onDeath(told: () => void): () => void {
    this.mourners.add(told);
    return () => this.mourners.delete(told);
  }

  /** What a dead process waits for never arrives. */
  async survive<T>(promise: Promise<T>): Promise<T> {
    const outlived = () => (this.alive ? undefined : new Promise<never>(() => {}));
    try {
      const value = await promise;
      await outlived();
      return value;
    } catch (error) {
      await outlived();
      throw error;
    }
  }
}

interface Timer {
  at: number;
  no: number;
  life: Life | undefined;
  call: () => void;
}

/** One for all simulations: every promise pays for each storage that exists. */
const lives = new AsyncLocalStorage<Life>();

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  random: Math.random,
  now: Date.now,
};

export class VirtualTime {
  now = 1_700_000_000_000;
  private no = 0;
  private readonly timers = new Map<number, Timer>();
  private readonly heap: Timer[] = [];

  constructor(private readonly random: Random) {}

  /** Runs with these timers in place of the real ones. */
  async within<T>(body: () => Promise<T>): Promise<T> {
    const replaced = globalThis as unknown as Record<string, unknown>;
    replaced.setTimeout = (call: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      this.add(Math.max(0, ms), () => call(...args));
    replaced.setImmediate = (call: (...args: unknown[]) => void, ...args: unknown[]) =>
      this.add(0, () => call(...args));
    replaced.clearTimeout = (handle: unknown) => this.remove(handle);
    replaced.clearImmediate = (handle: unknown) => this.remove(handle);
    Math.random = this.random.next;
    Date.now = () => this.now;
    try {
      return await body();
    } finally {
      Object.assign(globalThis, {
        setTimeout: real.setTimeout,
        clearTimeout: real.clearTimeout,
        setImmediate: real.setImmediate,
        clearImmediate: real.clearImmediate,
      });
      Math.random = real.random;
      Date.now = real.now;
    }
  }

  /** Whatever `body` starts belongs to this process. */
  as<T>(life: Life, body: () => T): T {
    return lives.run(life, body);
  }

  /** The process that is currently running. */
  get current(): Life | undefined {
    return lives.getStore();
  }

  /** Runs something in a process that is awake, or as soon as it is. */
  enter(life: Life, body: () => void): void {
    this.as(life, () => this.add(0, body));
  }

  putToSleep(life: Life, ms: number): void {
    if (life.asleepUntil > this.now) return;
    life.asleepUntil = this.now + ms;
    life.sleptMs += ms;
  }

  /** A timer of the world itself, which no crash removes. */
  after(ms: number, call: () => void): void {
    lives.exit(() => this.add(ms, call));
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.add(ms, resolve);
    });
  }

  /** Lets time pass until `done`, until nothing is left, or until the time is up. */
  async run(done: () => boolean, untilMs: number): Promise<boolean> {
    const end = this.now + untilMs;
    await settled();
    while (!done()) {
      const timer = this.pop();
      if (timer === undefined) return false;
      if (timer.at > end) {
        this.timers.set(timer.no, timer);
        this.push(timer);
        return false;
      }
      this.now = Math.max(this.now, timer.at);
      if (timer.life?.alive === false) continue;
      if (timer.life && timer.life.asleepUntil > this.now) {
        timer.at = timer.life.asleepUntil;
        this.timers.set(timer.no, timer);
        this.push(timer);
        continue;
      }
      if (timer.life) lives.run(timer.life, timer.call);
      else lives.exit(timer.call);
      await settled();
    }
    return true;
  }

  private add(ms: number, call: () => void): { no: number; unref(): unknown; ref(): unknown } {
    const timer: Timer = { at: this.now + ms, no: ++this.no, life: lives.getStore(), call };
    this.timers.set(timer.no, timer);
    this.push(timer);
    const handle = { no: timer.no, unref: () => handle, ref: () => handle };
    return handle;
  }

  private remove(handle: unknown): void {
    const no = (handle as { no?: number } | undefined)?.no;
    if (no !== undefined) this.timers.delete(no);
  }

  private push(timer: Timer): void {
    const { heap } = this;
    let index = heap.push(timer) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (before(heap[parent]!, timer)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = timer;
  }

  private pop(): Timer | undefined {
    for (;;) {
      const top = this.popAny();
      if (top === undefined) return undefined;
      if (this.timers.delete(top.no)) return top;
    }
  }

  private popAny(): Timer | undefined {
    const { heap } = this;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child += 1;
      if (before(last, heap[child]!)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return top;
  }
}

const before = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.no < b.no);

/** Resolves when all promises that can settle have settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    real.setImmediate(resolve);
  });
}
