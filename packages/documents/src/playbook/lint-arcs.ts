/** Arcs that can never fire: their guards are evaluated for every event that their step can end with. */
import { compile } from '@woof/expr';
import { type Arc, type BoundaryEvent, eventNameFor, isForSuccess, type Plan, type Step } from '@woof/net';
import type { Span } from '../yaml/source.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

type EventName = BoundaryEvent['name'];

export function warnDeadArcs(reading: Reading, plan: Plan): void {
  for (const step of plan.steps) {
    const ends = endsOf(step);
    for (const [index, arc] of step.next.arcs.entries()) {
      const earlier = step.next.mode === 'exclusive' ? step.next.arcs.slice(0, index) : [];
      const at = placeOf(reading, step, arc, index);
      if (ends.every((end) => firesOn(arc, step, end) === false)) {
        const isConstant =
          arc.when !== undefined && compile(arc.when).template?.testKnown(new Map()) === false;
        reading.report(
          isConstant ? problems.falseGuard(at) : problems.deadArc(at, step.name, ends, arc.when ?? ''),
        );
        continue;
      }
      const first = earlier.find((other) => takesAll(other, arc, step, ends));
      if (first) reading.report(problems.shadowedArc(at, first.at[0]));
    }
  }
}

/** A step that does nothing cannot fail. */
function endsOf({ loop, tasks, args }: Step): readonly EventName[] {
  if (loop) return ['loop.done', 'step.failed'];
  return tasks.length === 0 && args === undefined ? ['step.done'] : ['step.done', 'step.failed'];
}

/** Whether `other` fires in every case in which `arc` could. */
function takesAll(other: Arc, arc: Arc, step: Step, ends: readonly EventName[]): boolean {
  return ends.every((end) => firesOn(arc, step, end) === false || firesOn(other, step, end) === true);
}

/** Undefined: it depends on more than the event. */
function firesOn(arc: Arc, step: Step, end: EventName): boolean | undefined {
  const hasFailed = end === 'step.failed';
  if (hasFailed && isForSuccess(arc)) return false;
  const { when } = arc;
  if (when === undefined) return true;
  const known = new Map([
    ['event.name', eventNameFor(when, end)],
    ['event.step', step.name],
    ['event.payload.status', hasFailed ? 'error' : 'ok'],
  ]);
  return compile(when).template?.testKnown(known);
}

function placeOf(reading: Reading, step: Step, arc: Arc, index: number): Span {
  const node = reading.templates.get(`${step.name}/next/${index}/when`);
  if (node) return reading.span(node);
  const [line, column] = arc.at;
  return { line, column, endColumn: column + 1 };
}
