/** `spec.limit` across all workers of all servers: the store counts. */
import type { WorkApi } from '@woof/protocol';
import type { Limit, TaskLimits } from '../limits.ts';
import { pause, retrying } from './retrying.ts';

export class RemoteLimits implements TaskLimits {
  constructor(
    private readonly api: WorkApi,
    private readonly worker: string,
  ) {}

  async enter(limit: Limit, signal: AbortSignal, holder: string): Promise<() => void> {
    const { key } = limit;
    const bounded = (value: number) => (Number.isFinite(value) ? value : null);
    const request = {
      worker: this.worker,
      key,
      holder,
      concurrency: bounded(limit.concurrency),
      per_second: bounded(limit.perSecond),
    };
    for (;;) {
      if (signal.aborted) throw new Error('aborted');
      const { wait_ms } = await retrying(() => this.api.enter(request), signal);
      if (wait_ms === 0) break;
      await pause(wait_ms, signal);
    }
    return () => void retrying(() => this.api.exit({ key, holder })).catch(() => {});
  }
}
