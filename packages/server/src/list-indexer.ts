/**
 * Keeps the list index up to date while a server runs. It pauses for as long as it works, so it takes at most half of a
 * processor even if it must index every execution of an old store.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SharedStore } from '@woof/stores';

const LOOK_EVERY_MS = 500;
/** Fewer rows than this are checked one by one by every list. Indexing a few at a time costs more per row. */
const WORTH_INDEXING = 1000;

export class ListIndexer {
  private timer: NodeJS.Timeout | undefined;
  private work: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly store: Pick<SharedStore, 'indexLists'>,
    private readonly onFault: (error: unknown) => void,
  ) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.work = this.indexAll()
        .catch(this.onFault)
        .finally(() => this.isStopped || this.start());
    }, LOOK_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.work;
  }

  private async indexAll(): Promise<void> {
    for (let isMore = true; isMore && !this.isStopped; ) {
      const started = performance.now();
      isMore = await this.store.indexLists(WORTH_INDEXING);
      if (isMore) await pause(performance.now() - started);
    }
  }
}
