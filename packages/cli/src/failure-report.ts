/** Why a run failed, for people: which step and task, why, at which line, after how many tries. */
import { relative } from 'node:path';
import type { JsonObject, State } from '@woof/net';
import { harmless, type Painter } from './terminal.ts';

export function failureLines(state: State, file: string | undefined, paint: Painter): string[] {
  const { error } = state;
  if (error === undefined) return [];
  const who = [error.step && `step "${error.step}"`, error.task && `task "${error.task}"`].filter(Boolean);
  const about = who.length > 0 ? `${who.join(', ')}: ` : '';
  const kind = error.kind === 'cancelled' ? '' : paint(`  (${error.kind})`, 'dim');
  const lines = [`${paint(harmless(`${about}`), 'bold')}${harmless(error.message, 'lines')}${kind}`];
  const place = placeOf(state, error.details);
  if (place > 0 && file) lines.push(`  at      ${harmless(relative(process.cwd(), file))}:${place}`);
  if (typeof error.details?.expression === 'string') {
    lines.push(`  in      ${harmless(error.details.expression)}`);
  }
  const { attempts = 1 } = error;
  if (attempts > 1) lines.push(`  tried   ${attempts} times`);
  return lines;
}

export function nextCommands(state: State): string {
  const id = state.execution_id;
  return `  more    woof why ${id}\n          woof logs ${id}\n          woof rerun ${id}\n`;
}

/** The line of the template that failed, else of the task, else of the step. */
function placeOf({ plan, error }: State, details: JsonObject | undefined): number {
  // Only a template's line is one of the document; Python, for one, counts its own.
  if (error?.kind === 'template' && typeof details?.line === 'number' && details.line > 0)
    return details.line;
  const step = plan.steps.find(({ name }) => name === error?.step);
  const task = step?.tasks.find(({ label }) => label === error?.task);
  return (task ?? step)?.at[0] ?? 0;
}
