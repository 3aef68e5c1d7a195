/** What passes between the host and the process that draws. */
import type { JsonObject } from '@woof/net';

export interface ChartQuestion {
  spec: JsonObject;
  kind: 'vega' | 'vega-lite';
}

export type ChartAnswer =
  | { svg: string; warnings: string[]; error?: never }
  | { error: { ename: string; evalue: string } };

/** An answer comes from inside the sandbox and may contain anything. */
export function toChartAnswer(text: string): ChartAnswer | undefined {
  try {
    const { svg, warnings, error } = JSON.parse(text) as Record<string, unknown>;
    if (typeof svg === 'string' && Array.isArray(warnings)) return { svg, warnings: warnings.map(String) };
    const { ename, evalue } = error as Record<string, unknown>;
    return { error: { ename: String(ename), evalue: String(evalue) } };
  } catch {
    return undefined;
  }
}
