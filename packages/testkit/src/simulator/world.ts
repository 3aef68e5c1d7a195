/**
 * What everybody in a simulation shares: time, randomness, the store, the blobs, the watches, and the broken rules.
 *
 * Does not own: who takes part and what they do (`Scene`), what must hold (the watches).
 */
import { decodeJson, encodeJson, explain } from '@woof/net';
import { type Append, MemoryStore, type SharedStore } from '@woof/stores';
import type { Fault, Shape } from './faults.ts';
import { LogWatch, Violation } from './log-watch.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { OwnerWatch, watchDrivers } from './owner-watch.ts';
import { QuietWatch } from './quiet-watch.ts';
import type { Random } from './random.ts';
import type { Sabotage } from './sabotage.ts';
import { SimFolder } from './sim-folder.ts';
import { connect, type StoreWeather } from './sim-store.ts';
import { Life, type VirtualTime } from './virtual-time.ts';

interface Pace {
  ttlMs: number;
  upkeepMs: number;
}

const TROUBLED: Pace = { ttlMs: 3000, upkeepMs: 1000 };
/** Slow, so that waiting for one of these clocks is noticed. */
const QUIET: Pace = { ttlMs: 30_000, upkeepMs: 10_000 };

export class World {
  readonly watch: LogWatch;
  /** Set if the processes share a folder. */
  readonly owners: OwnerWatch | undefined;
  /** Set if nothing fails, and nobody stops a process either. */
  readonly quiet: QuietWatch | undefined;
  readonly pace: Pace;
  readonly shared: MemoryStore;
  readonly blobs = new MemoryBlobs();
  readonly weather: StoreWeather = { awayUntil: 0, troubled: true };
  /** Executions whose start was acknowledged to somebody. */
  readonly acknowledged: string[] = [];
  effects = 0;
  violation: Error | undefined;
  troubled = true;
  private births = 0;

  constructor(
    readonly shape: Shape,
    readonly random: Random,
    readonly time: VirtualTime,
    readonly sabotage: Sabotage | undefined,
  ) {
    const isQuiet = shape.faults.size === 0;
    this.watch = new LogWatch(isQuiet);
    const isFolder = shape.processes > 0;
    this.owners = isFolder ? this.newOwnerWatch() : undefined;
    this.quiet = isQuiet && !isFolder ? new QuietWatch(this.watch, () => time.now) : undefined;
    this.pace = isQuiet ? QUIET : TROUBLED;
    this.shared = new MemoryStore(() => time.now);
    this.watchAppends();
    if (this.owners) this.watchDrivers(this.owners);
  }

  newLife(name: string): Life {
    return new Life(`${name}.${++this.births}`);
  }

  storeOf(life: Life): SharedStore {
    return connect(this.shared, life, this);
  }

  clock(): () => number {
    const skew = this.shape.faults.has('clock-skew') ? this.random.between(-5000, 5000) : 0;
    return () => this.time.now + skew;
  }

  happens(fault: Fault, probability: number): boolean {
    return this.troubled && this.shape.faults.has(fault) && this.random.chance(probability);
  }

  /** Does nothing unless this kind of fault is enabled. */
  every(fault: Fault, between: readonly [number, number], act: () => void): void {
    if (this.shape.faults.has(fault)) this.repeat(between, act);
  }

  /** Until the faults stop. */
  repeat([low, high]: readonly [number, number], act: () => void): void {
    const again = () =>
      this.time.after(this.random.between(low, high), () => {
        if (!this.troubled) return;
        act();
        again();
      });
    again();
  }

  endTrouble(): void {
    this.troubled = false;
    this.weather.troubled = false;
    this.weather.awayUntil = 0;
  }

  /** Somebody was told that it has started. */
  acknowledge(id: string): void {
    if (this.watch.stateOf(id) === undefined)
      this.violate(`execution ${id} was acknowledged and is not in the log`);
    this.acknowledged.push(id);
  }

  violate(message: string): void {
    this.violation ??= new Violation(message);
  }

  guard(body: () => void): void {
    try {
      body();
    } catch (error) {
      this.violation ??= error as Error;
    }
  }

  /** Faults of the store and the network are reported, not thrown; anything else is a bug. */
  note(error: unknown): void {
    const { name, message } = error as Error;
    if (/does not answer/.test(message)) return;
    this.violate(`a fault of ours: ${name}: ${(error as Error).stack ?? message}`);
  }

  stuck(expected: number): Violation {
    const states = this.watch.unended.map((state) => {
      const reasons = explain(state).map(({ id, reason }) => `${id}: ${reason}`);
      return `${state.execution_id} (${state.status}): ${reasons.join('; ') || 'NO REASON'}`;
    });
    return new Violation(`stuck: ${this.acknowledged.length} of ${expected} started; ${states.join(' | ')}`);
  }

  /** Checks every frame at the moment the store accepts it. */
  private watchAppends(): void {
    const append = this.shared.append.bind(this.shared);
    this.shared.append = async (batch: readonly Append[]) => {
      const wire = decodeJson(encodeJson(batch)) as Append[];
      if (this.sabotage === 'forgetful-store' && this.random.chance(0.05)) return [];
      const refused = await append(wire);
      if (this.sabotage === 'two-writers') for (const frame of wire) this.guard(() => this.see(frame));
      if (this.sabotage === 'two-writers') return [];
      const not = new Set(refused.map((one) => one.execution_id));
      for (const frame of wire) {
        if (!not.has(frame.execution_id)) this.guard(() => this.see(frame));
      }
      return refused;
    };
  }

  private newOwnerWatch(): OwnerWatch {
    const now = () => this.time.now;
    return new OwnerWatch(new SimFolder(now, this.sabotage), now);
  }

  private watchDrivers(owners: OwnerWatch): void {
    const moved = (run: string, to: string) => this.guard(() => owners.moved(run, to, this.who));
    watchDrivers(this.shared, { moved, isBlind: this.sabotage === 'blind-claim' });
  }

  /** The process that is currently running. */
  get who(): string {
    return this.time.current!.name;
  }

  private see(frame: Append): void {
    this.watch.see(frame);
    this.owners?.wrote(frame, this.who);
    this.quiet?.see(frame.execution_id, frame.events);
  }
}
