/** The lines of a document that each step of its plan occupies, 1-based and inclusive. */
import type { Plan, Position } from '@woof/net';

export interface StepLines {
  line: number;
  end_line: number;
}

export function stepLines(text: string, plan: Pick<Plan, 'kind' | 'steps'>): Record<string, StepLines> {
  const lines = text.split(/\r\n|\n|\r/);
  const endOf = plan.kind === 'notebook' ? endOfCell : endOfBlock;
  const steps = plan.steps.filter(({ at }) => at[0] >= 1 && at[0] <= lines.length);
  return Object.fromEntries(
    steps.map(({ name, at }) => [name, { line: at[0], end_line: endOf(lines, at) }] as const),
  );
}

/** A cell ends with a line that contains nothing but a fence as long as the one that opens it. */
function endOfCell(lines: readonly string[], [line]: Position): number {
  const fence = /`{3,}/.exec(lines[line - 1]!)?.[0];
  const closer = lines.findIndex((text, index) => index >= line && text.trim() === fence);
  return closer < 0 ? lines.length : closer + 1;
}

/**
 * Lines that are indented at least as far as the first key belong to it, even after blank lines; so do comments in
 * between.
 */
function endOfBlock(lines: readonly string[], [line, column]: Position): number {
  let end = line;
  for (let next = line; next < lines.length; next++) {
    const text = lines[next]!;
    const indent = text.search(/\S/);
    if (indent < 0 || text[indent] === '#') continue;
    if (indent < column - 1) break;
    end = next + 1;
  }
  return end;
}
