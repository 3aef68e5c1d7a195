/** The lines of a document that a step stands on, and where its failure points to. */
import type { AnswerOf } from '@woof/protocol/http';
import type { Frame } from '@woof/run-view';

export type Source = AnswerOf<'executions.source'>;

const AROUND = 4;
const MOST_LINES = 200;

/** The lines around what failed; undefined if the failure is not of this step, or nowhere in the document. */
export function frameOf({ text, error }: Source, step: string): Frame | undefined {
  const lines = linesOf(text);
  if (error === undefined || error.step !== step || error.line > lines.length) return undefined;
  const { line, column } = error;
  const from = Math.max(1, line - AROUND);
  const shown = lines.slice(from - 1, line + AROUND);
  return { lines: shown, from, line, ...(column === undefined ? {} : { column }) };
}

export interface StepText {
  from: number;
  /** The last line that is shown. */
  to: number;
  /** The last line of the step. */
  end: number;
  text: string;
}

/** The lines that the step stands on; undefined if the document does not say. */
export function textOfStep({ text, steps }: Source, step: string): StepText | undefined {
  const place = Object.hasOwn(steps, step) ? steps[step] : undefined;
  if (place === undefined) return undefined;
  const { line: from, end_line: to } = place;
  const lines = linesOf(text).slice(from - 1, Math.min(to, from - 1 + MOST_LINES));
  return { from, to: from + lines.length - 1, end: to, text: lines.join('\n') };
}

const linesOf = (text: string): string[] => text.replace(/\r?\n$/, '').split(/\r?\n/);
