/** Where in its document a run failed. */
import type { State } from '@woof/net';
import type { CodePlace } from './code-lines.ts';
import { documentFrames } from './traceback-frames.ts';

export interface FailurePlace {
  step?: string;
  line: number;
  column?: number;
  message: string;
}

/** The lines of the document that the traceback of the failure names, outermost first. */
export function failureFrames({ plan, error }: State): CodePlace[] {
  return documentFrames(error, { plan, step: error?.step, task: error?.task });
}

/** The innermost line that the traceback names, else the line of the template, the task or the step. */
export function failurePlace(state: State): FailurePlace | undefined {
  const { error } = state;
  if (error === undefined) return undefined;
  const frame = failureFrames(state).at(-1);
  const [line, column] = frame ? [frame.line, undefined] : positionOf(state);
  if (line === undefined) return undefined;
  return {
    ...(error.step === undefined ? {} : { step: error.step }),
    line,
    ...(column === undefined ? {} : { column }),
    message: error.message,
  };
}

function positionOf({ plan, error }: State): readonly [line?: number, column?: number] {
  const { line, column } = error?.details ?? {};
  // Only a template's line is a line of the document; Python, for example, counts its own.
  if (error?.kind === 'template' && typeof line === 'number' && line > 0)
    return typeof column === 'number' && column > 0 ? [line, column] : [line];
  const step = plan.steps.find(({ name }) => name === error?.step);
  const task = step?.tasks.find(({ label }) => label === error?.task);
  return (task ?? step)?.at ?? [];
}
