export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  skips: string[];
  again: string[];
  slowest: [number, string][];
}

export function verdict(seen: { runs: Counts[]; checked: number; left: string[] }): {
  lines: string[];
  passed: boolean;
};
