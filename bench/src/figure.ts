/** A measured figure and its limit. Each is measured in a separate process, after a warm-up. */
export interface Figure {
  name: string;
  /** NaN if this machine lacks something that is needed; `note` says what. */
  value: number;
  unit: string;
  /** The value must be at least, or at most, this. With neither, it is only informative. */
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

/** A figure that this machine cannot measure. */
export const missing = (name: string, note: string): Figure => ({ name, value: Number.NaN, unit: '', note });

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that this share (below 1) of the values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)]!;
}

export function perSecond(count: number, sinceMs: number): number {
  return (count / (performance.now() - sinceMs)) * 1000;
}
