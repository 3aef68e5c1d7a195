/** The process itself: memory, and the delay of its event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from './registry.ts';

/** Returns a function that ends the measurement. */
export function processMetrics(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const began = Date.now() / 1000;
  registry.gauge('process_start_time_seconds', 'Start time of the process.', () => began - process.uptime());
  registry.gauge('process_resident_memory_bytes', 'Resident memory of the process.', () =>
    process.memoryUsage.rss(),
  );
  registry.gauge('nodejs_heap_used_bytes', 'JavaScript heap in use.', () => process.memoryUsage().heapUsed);
  registry.gauge('nodejs_eventloop_lag_seconds', 'Delay of the event loop since the last scrape.', () => {
    const readings = [50, 99, 100].map(
      (part) => [{ quantile: part / 100 }, nanosToSeconds(delay.percentile(part))] as const,
    );
    delay.reset();
    return readings;
  });
  return () => delay.disable();
}

const nanosToSeconds = (nanos: number): number => Math.max(0, nanos) / 1e9;
