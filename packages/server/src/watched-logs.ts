/**
 * The output of tasks, and who is waiting for more of it at this server. If another server accepts lines, it signals
 * that.
 */
import type { FarSignals } from '@woof/engine';
import type { WireLogLine } from '@woof/protocol';
import type { LogPage, LogQuery, LogStore } from '@woof/stores';

export class WatchedLogs implements LogStore {
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(
    private readonly store: LogStore,
    private readonly elsewhere: Pick<FarSignals, 'ask' | 'say'>,
  ) {}

  async append(lines: readonly WireLogLine[]): Promise<void> {
    await this.store.append(lines);
    for (const id of new Set(lines.map((line) => line.execution_id))) this.changed(id);
  }

  read(executionId: string, query: LogQuery): Promise<LogPage> {
    return this.store.read(executionId, query);
  }

  /** There are more lines, or no more will come. */
  changed(executionId: string): void {
    this.wake(executionId);
    this.elsewhere.say(executionId);
  }

  wake(executionId: string): void {
    for (const wake of this.waiting.get(executionId) ?? []) wake();
  }

  /** From now on, `changed` resolves when something changes or the signal aborts. Always call `end`. */
  watch(executionId: string, signal: AbortSignal): { changed: Promise<void>; end: () => void } {
    const ofId = this.waiting.get(executionId) ?? new Set();
    this.waiting.set(executionId, ofId);
    this.elsewhere.ask(executionId);
    let wake = () => {};
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    ofId.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    if (signal.aborted) wake();
    const end = () => {
      signal.removeEventListener('abort', wake);
      ofId.delete(wake);
      if (ofId.size === 0 && this.waiting.get(executionId) === ofId) this.waiting.delete(executionId);
    };
    return { changed, end };
  }
}
