/** When each step ran, and what it did in that time: bars for a picture. */
import type { Event, Outcome } from '@woof/net';

export interface Span {
  step: string;
  /** The step run, or one task run inside it. */
  id: string;
  start: number;
  /** Absent: it had not ended when the log did. */
  end?: number;
  status: 'running' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';
  tasks: TaskSpan[];
}

export interface TaskSpan {
  id: string;
  label: string;
  attempt: number;
  start: number;
  end?: number;
  failed: boolean;
}

const ENDS = {
  'step.done': 'succeeded',
  'step.failed': 'failed',
  'step.cancelled': 'cancelled',
  'loop.done': 'succeeded',
} as const;

/** A picture with more bars than this says nothing more. */
const MOST_TASKS = 2000;

export function timelineOf(events: readonly Event[]): Span[] {
  const spans = new Map<string, Span>();
  const tasks = new Map<string, TaskSpan>();
  for (const event of events) {
    const run = event.step_run_id;
    if (event.step === undefined || run === undefined) continue;
    if (event.name === 'step.scheduled') {
      const { step, at } = event;
      spans.set(run, { step, id: run, start: at, status: 'running', tasks: [] });
    }
    const span = spans.get(run);
    if (span === undefined) continue;
    if (event.name === 'step.started') span.start = event.at;
    if (event.name === 'task.started' || event.name === 'task.done') noteTask(event, span, tasks);
    const end = ENDS[event.name as keyof typeof ENDS];
    if (end !== undefined) {
      span.end = event.at;
      // A loop's own end comes before its step's; a failure stays one.
      if (span.status !== 'failed') span.status = end;
    }
  }
  return [...spans.values()];
}

function noteTask(event: Event, span: Span, tasks: Map<string, TaskSpan>): void {
  const id = event.task_run_id;
  if (id === undefined) return;
  let task = tasks.get(id);
  if (task === undefined) {
    if (tasks.size >= MOST_TASKS) return;
    task = { id, label: event.task_label ?? '', attempt: event.attempt ?? 1, start: event.at, failed: false };
    tasks.set(id, task);
    span.tasks.push(task);
  }
  if (event.name === 'task.started') return;
  task.end = event.at;
  task.failed = (event.data?.outcome as Outcome | undefined)?.status === 'error';
}
