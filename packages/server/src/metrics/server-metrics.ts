/** Everything that `/metrics` reports about a server. */
import type { Engine } from '@woof/engine';
import type { SharedStore } from '@woof/stores';
import type { EventHub } from '../event-hub.ts';
import { type EngineMetrics, engineMetrics } from './engine-metrics.ts';
import { processMetrics } from './process-metrics.ts';
import { Registry } from './registry.ts';

export interface Watched {
  engine: Engine;
  store: SharedStore;
  hub: EventHub;
  traces?: { counts: { sent: number; dropped: number } } | undefined;
}

export class ServerMetrics {
  readonly engine: EngineMetrics;
  private readonly registry = new Registry();
  private readonly requests = this.registry.counter(
    'woof_http_requests_total',
    'HTTP requests, by call and status.',
  );
  private readonly runs = this.registry.counter(
    'woof_scheduled_runs_total',
    'Scheduled runs started by this server, by outcome.',
  );
  private readonly endProcess = processMetrics(this.registry);

  constructor() {
    this.engine = engineMetrics(this.registry);
  }

  watch({ engine, store, hub, traces }: Watched): void {
    const { registry } = this;
    registry.gauge(
      'woof_executions_live',
      'Executions in the memory of this server.',
      () => engine.counts.live,
    );
    registry.gauge(
      'woof_executions_parked',
      'Executions of this server that wait for a time, outside of its memory.',
      () => engine.counts.parked,
    );
    registry.gauge('woof_queue_jobs', 'Jobs that wait for a worker on this server, by priority.', () =>
      queue(engine),
    );
    registry.gauge('woof_members_alive', 'Servers and workers that are alive.', () => members(store));
    registry.gauge('woof_event_listeners', 'Open event streams on this server.', () => hub.size);
    if (traces === undefined) return;
    registry.counted('woof_traces_sent_total', 'Executions whose spans were sent.', () => traces.counts.sent);
    registry.counted(
      'woof_traces_dropped_total',
      'Executions whose spans were dropped.',
      () => traces.counts.dropped,
    );
  }

  request(call: string, status: number): void {
    this.requests.add({ call, status });
  }

  scheduled(outcome: 'started' | 'failed'): void {
    this.runs.add({ outcome });
  }

  text(): Promise<string> {
    return this.registry.text();
  }

  close(): void {
    this.endProcess();
  }
}

function queue(engine: Engine): Iterable<readonly [{ priority: number }, number]> {
  const lengths = new Map<number, number>([[0, 0]]);
  for (const { state } of engine.waiting())
    lengths.set(state.priority, (lengths.get(state.priority) ?? 0) + state.ready.size);
  return [...lengths].map(([priority, length]) => [{ priority }, length] as const);
}

async function members(store: SharedStore): Promise<Iterable<readonly [{ kind: string }, number]>> {
  const alive = (await store.members()).filter((member) => member.alive);
  return ['server', 'worker'].map(
    (kind) => [{ kind }, alive.filter((member) => member.kind === kind).length] as const,
  );
}
