/**
 * A run of a data directory is driven by one process at a time.
 *
 * Owns: who drives which run, according to what the store accepted. Does not own: what must be true of every log
 * (log-watch.ts).
 * Rules:
 * - only the driver of a run writes to it or starts its effects, and only while it holds its lock;
 * - a run is taken only from a process that is gone, or is handed over by its driver itself;
 * - a run that a local process took from a server belongs to the server again when that process leaves;
 * - a process that is refused a run learns the name of a process that drove it meanwhile: of several that resume, one
 *   wins.
 */
import { type Append, isLocalDriver, type MemoryStore } from '@woof/stores';
import { Violation } from './log-watch.ts';
import type { SimFolder } from './sim-folder.ts';

export class OwnerWatch {
  /** Runs that a process took from one that was gone, and resumes that were refused. */
  taken = 0;
  refused = 0;
  private readonly drivers = new Map<string, string | null>();
  /** By run: the local process that took it from a server. */
  private readonly borrowed = new Map<string, string>();
  /** When a process stopped being the driver of a run. */
  private readonly leftAt = new Map<string, number>();

  /** By nested run: the root run that it belongs to, which has the driver. */
  private readonly roots = new Map<string, string>();

  constructor(
    readonly folder: SimFolder,
    private readonly now: () => number,
  ) {}

  /** Whom a person must ask about the run, as `woof resume` does; undefined if anybody may take it. */
  ownerOf(run: string): string | undefined {
    const driver = this.drivers.get(run);
    return driver != null && this.folder.hasHeir(driver) ? driver : undefined;
  }

  /** The store accepted a frame. */
  wrote({ execution_id: id, row }: Append, who: string): void {
    if (row?.parent !== undefined) this.roots.set(id, this.rootOf(row.parent));
    if (row?.driver !== undefined) this.moved(id, row.driver, who);
    this.checkDriver(id, who, 'writes to it');
  }

  startsEffect(id: string, who: string): void {
    this.checkDriver(id, who, 'starts an effect');
  }

  /** The store reports another driver. */
  moved(run: string, to: string | null, by: string): void {
    const from = this.drivers.get(run) ?? null;
    if (from === to || this.roots.has(run)) return;
    if (from !== null && from !== by) {
      check(!this.folder.isThere(from), run, `${by} takes it from ${from}, which is there`);
      this.taken += 1;
    }
    this.borrowed.delete(run);
    if (from !== null && !isLocalDriver(from) && isLocalDriver(to)) this.borrowed.set(run, to);
    this.leftAt.set(`${run} ${from}`, this.now());
    this.drivers.set(run, to);
  }

  /** It gave up its runs without a fault. */
  left(who: string): void {
    for (const [run, by] of this.borrowed)
      check(by !== who, run, `${who} leaves it and does not give it back`);
  }

  wasRefused(run: string, who: string, { owner, since }: { owner: string; since: number }): void {
    const left = this.leftAt.get(`${run} ${owner}`) ?? Number.NEGATIVE_INFINITY;
    const drove = this.drivers.get(run) === owner || left >= since;
    const isRight = owner !== who && drove && this.folder.wasThere(owner, since);
    check(isRight, run, `${who} is refused because of ${owner}, which does not drive it`);
    this.refused += 1;
  }

  private rootOf(id: string): string {
    return this.roots.get(id) ?? id;
  }

  /** To a run, all names of the one server of a folder are equivalent. */
  private checkDriver(id: string, who: string, what: string): void {
    const driver = this.drivers.get(this.rootOf(id)) ?? null;
    const isIts = isLocalDriver(who) || isLocalDriver(driver) ? driver === who : true;
    check(isIts, id, `${who} ${what}, and ${driver} drives it`);
    check(this.folder.isThere(who), id, `${who} ${what} without its lock`);
  }
}

/** Checks each change of a driver at the moment the store accepts it. */
export function watchDrivers(
  shared: MemoryStore,
  { moved, isBlind }: { moved: (run: string, to: string) => void; isBlind: boolean },
): void {
  const claim = shared.claim.bind(shared);
  const takeDue = shared.takeDue.bind(shared);
  shared.claim = async (id, from, driver) => {
    const isClaimed = await claim(
      id,
      isBlind ? ((await shared.execution(id))?.driver ?? null) : from,
      driver,
    );
    if (isClaimed) moved(id, driver);
    return isClaimed;
  };
  shared.takeDue = async (driver, limit) => {
    const taken = await takeDue(driver, limit);
    for (const id of taken) moved(id, driver);
    return taken;
  };
}

function check(condition: boolean, id: string, message: string): asserts condition {
  if (!condition) throw new Violation(`execution ${id}: ${message}`);
}
