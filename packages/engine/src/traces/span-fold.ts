/**
 * Turns the events of an execution into spans: execution → step run → iteration → task run. Pure.
 *
 * A span is returned when it ends. Spans that are still open when their parent ends, end with it. Spans contain only
 * names, ids, times, attempts and errors, never payloads or results.
 */
import { type Event, type EventOf, type OutcomeError, plainData } from '@woof/net';
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
/** The span of a job that is parked every minute for a year must not grow without bound. */
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
        return this.begin(EXECUTION, undefined, event, event.data.name, {
          'woof.kind': event.data.kind,
          'woof.path': event.data.path,
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
        return this.note(job, event, told(event));
      case 'execution.paused':
      case 'execution.resumed':
      case 'execution.driven':
        return this.note(EXECUTION, event, told(event));
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
        this.describe(EXECUTION, { 'woof.status': event.data.status }, errorOf(event));
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

  private taskDone(task: string, job: string, event: EventOf<'task.done'>): Span[] {
    const { outcome, directive } = event.data;
    const open = this.open.get(task);
    if (open && typeof outcome.meta?.duration_ms === 'number') {
      // A remote worker may report the start of a task only when it has ended.
      open.span.start = Math.min(open.span.start, event.at - outcome.meta.duration_ms);
    }
    const { error } = outcome;
    if (error) this.note(task, { name: 'exception', at: event.at, attributes: {} }, exceptionOf(error));
    if (directive.do === 'retry') {
      const attributes = { 'woof.task_run_id': task, 'woof.attempt': event.attempt ?? 1 };
      this.note(job, { name: 'retry', at: event.at, attributes }, attributes);
    }
    return this.end(task, event.at, error && shorten(error.message));
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

/** What happened to a job, in short values. */
function told(event: Event): Attributes {
  const data = plainData(event) ?? {};
  const attributes: Attributes = {};
  for (const key of ['worker', 'reason', 'driver', 'child', 'until']) {
    const value = data[key];
    if (typeof value === 'number') attributes[`woof.${key}`] = value;
    if (typeof value === 'string') attributes[`woof.${key}`] = shorten(value);
  }
  return attributes;
}

function exceptionOf({ exception_type, kind, message }: OutcomeError): Attributes {
  return { 'exception.type': exception_type ?? kind, 'exception.message': shorten(message) };
}

function errorOf(event: Event): string | undefined {
  switch (event.name) {
    case 'step.cancelled':
      return 'cancelled';
    case 'step.failed':
    case 'loop.iteration.failed':
      return shorten(event.data.error.message);
    case 'workflow.finished':
      if (event.data.status === 'succeeded') return undefined;
      return shorten(event.data.error?.message ?? event.data.status);
    default:
      return undefined;
  }
}

function shorten(text: string): string {
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE - 1)}…` : text;
}
