/**
 * Events of an execution to spans: execution → step run → iteration → task run. Pure.
 *
 * A span is given when it ends; what is still open when its parent ends, ends with it. Only names, ids, times, attempts
 * and errors are told, never payloads or results.
 */
import { type Event, isObject, type JsonObject } from '@woof/net';
import { spanIdOf, type TraceContext } from './trace-context.ts';

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** ms since the epoch. */
  start: number;
  end: number;
  attributes: Attributes;
  events: SpanEvent[];
  error?: string;
}

export interface SpanEvent {
  name: string;
  at: number;
  attributes: Attributes;
}

export type Attributes = Record<string, string | number>;

interface Open {
  parent: string | undefined;
  children: Set<string>;
  span: Span;
}

const EXECUTION = '';
const LONGEST_MESSAGE = 1000;
/** A job that is parked every minute for a year must not grow its span without bound. */
const MOST_SPAN_EVENTS = 128;

export class SpanFold {
  private readonly open = new Map<string, Open>();

  constructor(
    private readonly executionId: string,
    private readonly context: TraceContext,
  ) {}

  /** The spans that end with this event. */
  add(event: Event): Span[] {
    const { step_run_id: stepRun = '', iteration_id: iteration = '', task_run_id: task = '' } = event;
    const job = iteration || stepRun;
    switch (event.name) {
      case 'playbook.execution.requested':
        return this.begin(EXECUTION, undefined, event, textOf(event, 'name'), {
          'woof.kind': textOf(event, 'kind'),
          'woof.path': textOf(event, 'path'),
        });
      case 'step.scheduled':
        return this.begin(stepRun, EXECUTION, event, event.step, { 'woof.step_run_id': stepRun });
      case 'loop.iteration.started':
        return this.begin(iteration, parentOf(iteration), event, `${event.step}[${indexOf(iteration)}]`, {
          'woof.iteration_id': iteration,
        });
      case 'task.started':
        return this.begin(task, job, event, event.task_label, {
          'woof.task_run_id': task,
          'woof.attempt': event.attempt ?? 1,
        });
      case 'task.done':
        return this.taskDone(task, job, event);
      case 'job.leased':
      case 'job.released':
      case 'job.expired':
      case 'job.parked':
      case 'job.woken':
        return this.note(job, event, told(event.data));
      case 'execution.paused':
      case 'execution.resumed':
      case 'execution.driven':
        return this.note(EXECUTION, event, told(event.data));
      case 'loop.done':
        return this.end(job, event.at);
      case 'loop.iteration.done':
      case 'loop.iteration.failed':
        return this.end(iteration, event.at, errorOf(event));
      case 'step.done':
      case 'step.failed':
      case 'step.cancelled':
      case 'step.skipped':
        return this.end(stepRun, event.at, errorOf(event));
      case 'workflow.finished':
        this.describe(EXECUTION, { 'woof.status': textOf(event, 'status') }, errorOf(event));
        return [];
      case 'playbook.processed':
        return this.end(EXECUTION, event.at);
      default:
        return [];
    }
  }

  private begin(
    id: string,
    parent: string | undefined,
    event: Event,
    name = '',
    attributes: Record<string, string | number | undefined> = {},
  ): Span[] {
    const parentSpanId =
      parent === undefined ? this.context.parentSpanId : spanIdOf(this.executionId, parent);
    const span: Span = {
      traceId: this.context.traceId,
      spanId: spanIdOf(this.executionId, id),
      ...(parentSpanId === undefined ? {} : { parentSpanId }),
      name,
      start: event.at,
      end: event.at,
      attributes: { 'woof.execution_id': this.executionId },
      events: [],
    };
    this.open.set(id, { parent, children: new Set(), span });
    if (parent !== undefined) this.open.get(parent)?.children.add(id);
    this.describe(id, attributes);
    return [];
  }

  private describe(
    id: string,
    attributes: Record<string, string | number | undefined>,
    error?: string,
  ): void {
    const span = this.open.get(id)?.span;
    if (span === undefined) return;
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined && value !== '') span.attributes[name] = value;
    }
    if (error !== undefined) span.error = error;
  }

  private note(id: string, event: Pick<Event, 'name' | 'at'> | SpanEvent, attributes: Attributes): Span[] {
    const events = this.open.get(id)?.span.events;
    if (events && events.length < MOST_SPAN_EVENTS)
      events.push({ name: event.name, at: event.at, attributes });
    return [];
  }

  private taskDone(task: string, job: string, event: Event): Span[] {
    const { outcome, directive } = (event.data ?? {}) as { outcome?: JsonObject; directive?: JsonObject };
    const open = this.open.get(task);
    if (open && isObject(outcome?.meta) && typeof outcome.meta.duration_ms === 'number') {
      // A worker elsewhere tells that a task started when it has ended already.
      open.span.start = Math.min(open.span.start, event.at - outcome.meta.duration_ms);
    }
    const error = isObject(outcome?.error) ? outcome.error : undefined;
    if (error) this.note(task, { name: 'exception', at: event.at, attributes: {} }, exceptionOf(error));
    if (directive?.do === 'retry') {
      const attributes = { 'woof.task_run_id': task, 'woof.attempt': event.attempt ?? 1 };
      this.note(job, { name: 'retry', at: event.at, attributes }, attributes);
    }
    return this.end(task, event.at, error && shorten(String(error.message ?? 'failed')));
  }

  private end(id: string, at: number, error?: string): Span[] {
    const open = this.open.get(id);
    if (open === undefined) return [];
    this.open.delete(id);
    if (open.parent !== undefined) this.open.get(open.parent)?.children.delete(id);
    const { span } = open;
    span.end = Math.max(span.start, at);
    if (error !== undefined) span.error = error;
    const within = [...open.children].flatMap((child) => this.end(child, at, 'did not end'));
    return [...within, span];
  }
}

const parentOf = (iteration: string): string => iteration.slice(0, iteration.lastIndexOf('/'));
const indexOf = (iteration: string): string => iteration.slice(iteration.indexOf('/') + 1);

function textOf({ data }: Event, key: string): string | undefined {
  const value = data?.[key];
  return typeof value === 'string' ? value : undefined;
}

/** What happened to a job, in short values. */
function told(data: JsonObject = {}): Attributes {
  const attributes: Attributes = {};
  for (const key of ['worker', 'reason', 'driver', 'child', 'until']) {
    const value = data[key];
    if (typeof value === 'number') attributes[`woof.${key}`] = value;
    if (typeof value === 'string') attributes[`woof.${key}`] = shorten(value);
  }
  return attributes;
}

function exceptionOf(error: JsonObject): Attributes {
  const type = error.exception_type ?? error.kind;
  return { 'exception.type': String(type), 'exception.message': shorten(String(error.message ?? '')) };
}

function errorOf(event: Event): string | undefined {
  const { name, data } = event;
  if (name === 'step.cancelled') return shorten(textOf(event, 'reason') ?? 'cancelled');
  const failed = name === 'step.failed' || name === 'loop.iteration.failed';
  if (!failed && !(name === 'workflow.finished' && data?.status !== 'succeeded')) return undefined;
  const message = isObject(data?.error) ? data.error.message : undefined;
  return shorten(String(message ?? data?.status ?? 'failed'));
}

function shorten(text: string): string {
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE - 1)}…` : text;
}
