/** Shrinks a shape that breaks the rules, as long as it still does. */
import type { Shape } from './faults.ts';
import { type Report, simulate } from './simulate.ts';

export async function shrink(failing: Report): Promise<Report> {
  for (let smallest = failing; ; ) {
    const smaller = await firstFailing(candidates(smallest.shape));
    if (smaller === undefined) return smallest;
    smallest = smaller;
  }
}

async function firstFailing(shapes: Iterable<Shape>): Promise<Report | undefined> {
  for (const shape of shapes) {
    const report = await simulate(shape);
    if (report.violation) return report;
  }
  return undefined;
}

const LEAST: Partial<Record<keyof Shape, number>> = { near: 0, workers: 0 };

function* candidates(shape: Shape): Iterable<Shape> {
  for (const fault of shape.faults) {
    const faults = new Set(shape.faults);
    faults.delete(fault);
    yield { ...shape, faults };
  }
  yield* shape.processes > 0 ? smallerFolders(shape) : smallerClusters(shape);
  if (shape.wide) yield { ...shape, wide: false };
  for (const kind of shape.kinds) {
    const kinds = shape.kinds.filter((other) => other !== kind);
    if (kinds.length > 0) yield { ...shape, kinds };
  }
  if (shape.troubledMs > 1000) yield { ...shape, troubledMs: Math.floor(shape.troubledMs / 2) };
}

function* smallerClusters(shape: Shape): Iterable<Shape> {
  for (const key of ['executions', 'servers', 'near', 'workers', 'slots'] as const) {
    const smaller = { ...shape, [key]: shape[key] - 1 };
    if (smaller[key] >= (LEAST[key] ?? 1) && smaller.near + smaller.workers > 0) yield smaller;
  }
}

/** The server of a folder is removed together with its worker. */
function* smallerFolders(shape: Shape): Iterable<Shape> {
  for (const key of ['executions', 'processes', 'slots'] as const)
    if (shape[key] > 1) yield { ...shape, [key]: shape[key] - 1 };
  if (shape.servers > 0) yield { ...shape, servers: 0, near: 0 };
}
