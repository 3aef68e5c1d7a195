/** The output of a run's tasks at a server, shown as it arrives. The rest is shown when the run has ended or waits. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Reach } from '@woof/client';
import type { LogEntry } from '@woof/stores';

const WAIT_MS = 5000;
const LINES = 1000;
/** After an answer that came at once and was empty, or after no answer at all. */
const PAUSE_MS = 300;

export class FollowedOutputs {
  private from: string | undefined;
  private readonly over = new AbortController();
  private readonly following: Promise<void>;

  constructor(
    private readonly client: Client,
    private readonly id: string,
    private readonly show: (line: LogEntry) => void,
  ) {
    this.following = this.follow();
  }

  /** The last lines have been shown when it resolves. */
  async end(reach: Reach): Promise<void> {
    this.stop();
    await this.following;
    for (let shown = LINES; shown === LINES; ) shown = await reach.insist(() => this.page(0));
  }

  stop(): void {
    this.over.abort();
  }

  /** The code that follows the events reports that the server is away, so this only tries again. */
  private async follow(): Promise<void> {
    const { signal } = this.over;
    while (!signal.aborted) {
      const shown = await this.page(WAIT_MS, signal).catch(() => 0);
      if (shown === 0) await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }

  private async page(wait_ms: number, signal?: AbortSignal): Promise<number> {
    const query = { from: this.from, limit: LINES, wait_ms };
    const params = { id: this.id };
    const { lines, next } = await this.client.call('executions.logs', { params, query, signal });
    if (signal?.aborted) return 0;
    for (const line of lines) this.show(line);
    this.from = next;
    return lines.length;
  }
}
