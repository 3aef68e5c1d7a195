/** A figure with the limit it is held to. Each is measured in a process of its own, after a warm-up. */
export interface Figure {
  name: string;
  /** NaN where this machine lacks what it takes; `note` says what. */
  value: number;
  unit: string;
  /** The value must be at least, or at most, this. Neither: shown for orientation. */
  atLeast?: number;
  atMost?: number;
  aim?: number;
  note?: string;
}

export function holds(figure: Figure): boolean | undefined {
  if (Number.isNaN(figure.value)) return undefined;
  if (figure.atLeast !== undefined) return figure.value >= figure.atLeast;
  if (figure.atMost !== undefined) return figure.value <= figure.atMost;
  return undefined;
}

/** Of what this machine cannot measure. */
export const missing = (name: string, note: string): Figure => ({ name, value: Number.NaN, unit: '', note });

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that this share of them (below 1) does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)]!;
}

export function perSecond(count: number, sinceMs: number): number {
  return (count / (performance.now() - sinceMs)) * 1000;
}
