/**
 * Sends the spans of ended executions to a collector.
 *
 * When an execution ends, its log is read once more by a loop beside the engine, so that a slow or dead collector
 * affects nothing: what cannot be sent in time is dropped and counted. It makes no difference which servers drove the
 * execution, or whether they restarted.
 */
import type { Event, EventOf, Parent } from '@woof/net';
import type { Store } from '@woof/stores';
import { toOtlp } from './otlp.ts';
import { type Span, SpanFold } from './span-fold.ts';
import { contextOf, spanIdOf, type TraceContext } from './trace-context.ts';

const SPANS_AT_ONCE = 512;
const RETRYABLE = new Set([429, 502, 503, 504]);

export interface TraceExporterOptions {
  store: Store;
  /** Where OTLP over HTTP is accepted, e.g. `http://localhost:4318/v1/traces`. */
  url: string;
  headers?: Record<string, string>;
  service: string;
  version: string;
  /** How many executions may wait; more are dropped. */
  mostWaiting?: number;
  attempts?: number;
  /** Between attempts, doubled each time. */
  pauseMs?: number;
  timeoutMs?: number;
  onFault: (error: unknown) => void;
}

export class TraceExporter {
  readonly counts = { sent: 0, dropped: 0 };
  private readonly waiting: string[] = [];
  private running: Promise<void> | undefined;
  private readonly over = new AbortController();

  constructor(private readonly options: TraceExporterOptions) {}

  /** Call with durable events; it only notes what ended. */
  note(executionId: string, events: readonly Event[]): void {
    if (events.at(-1)?.name !== 'playbook.processed' || this.over.signal.aborted) return;
    if (this.waiting.length >= (this.options.mostWaiting ?? 10_000)) {
      this.counts.dropped += 1;
      return;
    }
    this.waiting.push(executionId);
    this.running ??= this.run();
  }

  /** Sends what is waiting, within the given time. */
  async close(withinMs = 2000): Promise<void> {
    const timer = setTimeout(() => this.over.abort(), withinMs);
    await this.running;
    clearTimeout(timer);
    this.over.abort();
  }

  private async run(): Promise<void> {
    for (let id = this.waiting.shift(); id !== undefined; id = this.waiting.shift()) {
      try {
        if (this.over.signal.aborted) throw new Error('the server is stopping');
        await this.export(id);
        this.counts.sent += 1;
      } catch (error) {
        this.counts.dropped += 1;
        this.options.onFault(error);
      }
    }
    this.running = undefined;
  }

  private async export(executionId: string): Promise<void> {
    const context = await this.context(executionId);
    if (context === undefined) return;
    const fold = new SpanFold(executionId, context);
    let batch: Span[] = [];
    for await (const { events } of this.options.store.read(executionId)) {
      for (const event of events) for (const span of fold.add(event)) batch.push(span);
      if (batch.length < SPANS_AT_ONCE) continue;
      await this.send(batch);
      batch = [];
    }
    if (batch.length > 0) await this.send(batch);
  }

  /** A nested playbook belongs to the job that called it, and to the trace of the outermost run. */
  private async context(executionId: string): Promise<TraceContext | undefined> {
    const first = await this.first(executionId);
    let [root, outermost] = [executionId, first];
    for (let caller = callerOf(outermost); caller; caller = callerOf(outermost)) {
      root = caller.execution_id;
      outermost = await this.first(root);
    }
    const source = outermost?.data.source as { traceparent?: string } | undefined;
    const context = contextOf(root, source?.traceparent);
    const caller = callerOf(first);
    if (context === undefined || caller === undefined) return context;
    return { traceId: context.traceId, parentSpanId: spanIdOf(caller.execution_id, caller.job_id) };
  }

  private async first(executionId: string): Promise<Requested | undefined> {
    for await (const { events } of this.options.store.read(executionId))
      return events.find((event) => event.name === 'playbook.execution.requested');
    return undefined;
  }

  private async send(spans: Span[]): Promise<void> {
    const { service, version, attempts = 5, pauseMs = 1000 } = this.options;
    const body = JSON.stringify(toOtlp(spans, service, version));
    for (let attempt = 1; ; attempt += 1) {
      const failure = await this.post(body);
      if (failure === undefined) return;
      if (!failure.again || attempt >= attempts || this.over.signal.aborted) throw new Error(failure.what);
      await this.pause(pauseMs * 2 ** (attempt - 1));
    }
  }

  private async post(body: string): Promise<{ what: string; again: boolean } | undefined> {
    const { url, headers, timeoutMs = 10_000 } = this.options;
    const signal = AbortSignal.any([this.over.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal,
        redirect: 'error',
      });
      await answer.body?.cancel();
      if (answer.ok) return undefined;
      return { what: `the collector answered ${answer.status}`, again: RETRYABLE.has(answer.status) };
    } catch (error) {
      return { what: `Woof cannot reach the collector: ${(error as Error).message}`, again: true };
    }
  }

  private pause(ms: number): Promise<void> {
    const { signal } = this.over;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }
}

type Requested = EventOf<'playbook.execution.requested'>;

const callerOf = (first: Requested | undefined): Parent | undefined => first?.data.parent;
