/**
 * How many nested runs of one run are in progress, at any depth: otherwise a playbook that calls itself in a loop would
 * start more of them than any server can hold.
 *
 * Counts what this process started. Another server may have seen some of them end, so before a run is refused, the
 * store is asked which of them are over.
 */
const ASKED_AT_ONCE = 100;

interface Family {
  ids: Set<string>;
  /** Set while the store is being asked. */
  asking: Promise<void> | undefined;
}

export class NestedRuns {
  private readonly byRoot = new Map<string, Family>();

  constructor(
    private readonly limit: number,
    private readonly isOver: (executionId: string) => Promise<boolean>,
  ) {}

  /** False: there are too many. */
  async add(root: string, id: string): Promise<boolean> {
    const family = this.byRoot.get(root) ?? { ids: new Set<string>(), asking: undefined };
    this.byRoot.set(root, family);
    if (!family.ids.has(id) && family.ids.size >= this.limit) await this.forgetEnded(family);
    if (!family.ids.has(id) && family.ids.size >= this.limit) return false;
    family.ids.add(id);
    return true;
  }

  /** It ended. For the outermost run, removes everything. */
  remove(root: string, id: string): void {
    const family = this.byRoot.get(root);
    family?.ids.delete(id);
    if (id === root || family?.ids.size === 0) this.byRoot.delete(root);
  }

  /** Many may ask at once; they share one query. */
  private forgetEnded(family: Family): Promise<void> {
    family.asking ??= this.ask(family).finally(() => {
      family.asking = undefined;
    });
    return family.asking;
  }

  private async ask({ ids }: Family): Promise<void> {
    let asked = 0;
    for (const id of [...ids]) {
      if (await this.isOver(id)) ids.delete(id);
      // A store that answers synchronously would give nobody else a turn.
      if (++asked % ASKED_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
