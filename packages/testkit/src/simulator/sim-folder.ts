/**
 * The locks of a data directory, as an operating system keeps them: a lock vanishes with its process, but stays while
 * the process is only stopped.
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

  /** A server has one lock for all its names; a local process has one under its own name. */
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

  /** Whether this very process is there. */
  isThere(driver: string): boolean {
    return this.locks.get(nameOf(driver))?.name === driver;
  }

  /** Whether it is there, or another server if it is one: the next server inherits the runs of a server. */
  hasHeir(driver: string): boolean {
    return this.locks.has(nameOf(driver));
  }

  /** Whether that was so at some time since then. */
  wasThere(driver: string, since: number): boolean {
    return this.hasHeir(driver) || (this.freedAt.get(nameOf(driver)) ?? Number.NEGATIVE_INFINITY) >= since;
  }

  /** What processes can find out about each other. */
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
