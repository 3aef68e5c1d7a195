/**
 * `spec.labels` of the executor and of steps: which workers may run them. Read before anything is rendered: no
 * templates.
 */
import { isTemplate } from '@woof/expr';
import { describe } from '../yaml/reading.ts';
import { child, type MapNode } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

const WHY = 'write the value itself: Woof chooses a worker before it renders templates';

export type WorkerLabels = Readonly<Record<string, string>>;

export function takeLabels(reading: Reading, spec: MapNode | undefined): WorkerLabels {
  const map = reading.takeMap(child(spec, 'labels'), 'spec.labels');
  const labels: Record<string, string> = {};
  for (const { key, value } of map?.entries.values() ?? []) {
    const what = `spec.labels.${key}`;
    const text = reading.takeText(value, what);
    if (text === undefined) continue;
    if (isTemplate(text))
      reading.report(problems.wrongType(reading.span(value), what, 'plain text', describe(value), WHY));
    labels[key] = text;
  }
  return labels;
}
