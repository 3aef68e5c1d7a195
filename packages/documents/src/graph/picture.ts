/** What the picture of a plan consists of, for pages that only show it. */
import type { Plan, Step } from '@woof/net';

export const NODE = { width: 168, height: 40, gapX: 24, gapY: 44 } as const;

/** Typed arrays, or lists if the drawing was stored as JSON. */
export type Numbers = ArrayLike<number> & Iterable<number>;

export interface Drawing {
  width: number;
  height: number;
  /** The top left corner of each node, in the order of the plan's steps. */
  x: Numbers;
  y: Numbers;
  layer: Numbers;
  /**
   * Points of edge `i`, alternating x and y, from `starts[i]` up to but excluding `starts[i + 1]`. Curves and straight
   * lines alternate.
   */
  points: Numbers;
  starts: Numbers;
  /** Ends of the edges, as indices of nodes. */
  from: Numbers;
  to: Numbers;
  /** 1: the edge leads back up, and its only points are its two ends. */
  back: Numbers;
}

export function typeOfStep(step: Step, kind: Plan['kind']): string {
  if (step.loop) return 'loop';
  if (step.tasks.length === 0) return kind === 'workflow' ? 'noop' : 'route';
  return [...new Set(step.tasks.map((task) => task.kind))].join(', ');
}
