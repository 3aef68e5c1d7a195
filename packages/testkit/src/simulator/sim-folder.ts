/**
 * The locks of a data directory, as an operating system keeps them: a lock vanishes with its process, and stays while that is
 * only stopped.
 */
import type { Presence } from '@woof/engine';
import { isLocalDriver } from '@woof/stores';
import type { Sabotage } from './sabotage.ts';
import type { Life } from './virtual-time.ts';

const SERVER = 'server';

export class SimFolder {
  private readonly locks = new Map<string, Life>();
  private readonly freedAt = new Map<string, number>();

  constructor(
    private readonly now: () => number,
    private readonly sabotage: Sabotage | undefined,
  ) {}

  /** A server has one lock for all its names; a local process one under its own. */
  lock(life: Life): void {
    const name = nameOf(life.name);
    if (this.locks.has(name)) throw new Error(`${life.name} locks ${name}, which is locked`);
    this.locks.set(name, life);
    life.onDeath(() => this.release(life));
  }

  release(life: Life): void {
    const name = nameOf(life.name);
    if (this.locks.get(name) !== life) return;
    this.locks.delete(name);
    this.freedAt.set(name, this.now());
  }

  get hasServer(): boolean {
    return this.locks.has(SERVER);
  }

  /** This very process. */
  isThere(driver: string): boolean {
    return this.locks.get(nameOf(driver))?.name === driver;
  }

  /** It, or another server if it is one, was there at some time since then. */
  wasThere(driver: string, since: number): boolean {
    const name = nameOf(driver);
    return this.locks.has(name) || (this.freedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= since;
  }

  /** What processes find out about each other. */
  get presence(): Presence {
    return { hasProcess: (driver) => this.finds(driver), hasServer: () => this.hasServer };
  }

  private finds(driver: string): boolean {
    const life = this.locks.get(driver);
    if (life === undefined || this.sabotage === 'nobody-is-there') return false;
    return this.sabotage !== 'stopped-is-gone' || life.asleepUntil <= this.now();
  }
}

const nameOf = (driver: string): string => (isLocalDriver(driver) ? driver : SERVER);
