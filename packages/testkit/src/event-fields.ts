/**
 * The fields of every event's data, as values: what the compiler knows about `EventData`, for tests of logs and docs.
 */
import type { Event, EventData, EventName } from '@woof/net';

type Presence<D> = { [K in keyof D]-?: Partial<Pick<D, K>> extends Pick<D, K> ? 'maybe' : 'always' };
type Fields<D> = [D] extends [undefined] ? Record<never, never> : Presence<NonNullable<D>>;

const [always, maybe] = ['always', 'maybe'] as const;

export const EVENT_FIELDS: { [N in EventName]: Fields<EventData[N]> } = {
  'playbook.execution.requested': {
    plan: always,
    kind: always,
    name: always,
    path: maybe,
    source: maybe,
    parent: maybe,
    iter: maybe,
    granted: maybe,
    driver: maybe,
    priority: maybe,
    rerun_of: maybe,
  },
  'playbook.request.evaluated': { workload: always, ctx: maybe },
  'workflow.started': { entry: always },
  'token.enqueued': { token: always, args: maybe, arc: maybe, event: maybe },
  'token.denied': { tokens: always, because: always },
  'token.dropped': { token: always, because: always },
  'step.adopted': { summary: always, labels: maybe },
  'step.scheduled': { tokens: always, args: maybe, passed: maybe, held: maybe },
  'step.started': {},
  'step.done': { result: always },
  'step.failed': { error: always, stats: maybe },
  'step.skipped': { because: always },
  'step.cancelled': { because: always },
  'step.approved': { by: maybe, note: maybe, override: maybe },
  'step.rejected': { by: maybe, note: maybe, override: maybe },
  'next.evaluated': { event: always, selected: always },
  'loop.started': { depth: always, total: always, max_in_flight: always, items: always },
  'loop.iteration.started': { index: always },
  'loop.iteration.done': { index: always, result: always },
  'loop.iteration.failed': { index: always, error: always },
  'loop.results.stored': { count: always, page: always },
  'loop.done': { result: maybe, stats: always },
  'job.leased': { worker: always },
  'job.released': { reason: always },
  'job.expired': { reason: always },
  'job.parked': { until: maybe, child: maybe, human: maybe, memo: maybe },
  'job.woken': {},
  'task.started': {},
  'task.done': { outcome: always, directive: always },
  'ctx.patched': { patch: maybe, shared: maybe, of_step: maybe },
  'execution.driven': { driver: always },
  'execution.needs_human': { steps: always },
  'execution.paused': { by: maybe },
  'execution.resumed': { by: maybe },
  'execution.cancelled': { reason: always },
  'workflow.finished': { status: always, error: maybe, result: maybe },
  'playbook.processed': { status: always },
};

/** The fields that an event has but should not, and those that it lacks; empty for a valid event. */
export function strayFields({ name, data = {} }: Pick<Event, 'name' | 'data'>): string[] {
  const fields = EVENT_FIELDS[name] as Record<string, string>;
  const unknown = Object.keys(data).filter((key) => !Object.hasOwn(fields, key));
  const missing = Object.keys(fields).filter((key) => fields[key] === always && !Object.hasOwn(data, key));
  return [...unknown.map((key) => `${name} has ${key}`), ...missing.map((key) => `${name} lacks ${key}`)];
}
