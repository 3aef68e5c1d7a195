/** The lines of a step in its document. */
import type { AnswerOf } from '@woof/protocol/http';
import { linesOfText } from '@woof/run-view/data';

export type Source = AnswerOf<'executions.source'>;

const MOST_LINES = 200;

export interface StepText {
  from: number;
  /** The last line that is shown. */
  to: number;
  /** The last line of the step. */
  end: number;
  text: string;
}

/** Undefined if the document does not say. */
export function textOfStep({ text, steps }: Source, step: string): StepText | undefined {
  const place = Object.hasOwn(steps, step) ? steps[step] : undefined;
  if (place === undefined) return undefined;
  const { line: from, end_line: to } = place;
  const lines = linesOfText(text).slice(from - 1, Math.min(to, from - 1 + MOST_LINES));
  return { from, to: from + lines.length - 1, end: to, text: lines.join('\n') };
}
