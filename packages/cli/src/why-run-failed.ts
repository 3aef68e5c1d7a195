/** Why a run failed, for people: which step and task, or which cell, why, at which lines, after how many attempts. */
import { relative } from 'node:path';
import { type CodePlace, failureFrames, failurePlace } from '@woof/documents/places';
import type { State } from '@woof/net';
import { shellWord } from './shell-word.ts';
import { harmless, oneLine, type Painter } from './terminal.ts';
import { tracebackOf } from './traceback.ts';

export function whyRunFailed(state: State, file: string | undefined, paint: Painter): string[] {
  const { error } = state;
  if (error === undefined) return [];
  const kind = error.kind === 'cancelled' ? '' : paint(`  (${error.kind})`, 'dim');
  const lines = [
    `${paint(harmless(subjectOf(state)), 'bold')}${harmless(error.message, 'lines')}${kind}`,
    ...(file ? placesOf(state, relative(process.cwd(), file)) : []),
  ];
  if (typeof error.details?.expression === 'string') {
    lines.push(`  in      ${harmless(error.details.expression)}`);
  }
  const { attempts = 1 } = error;
  if (attempts > 1) lines.push(`  tried   ${attempts} times`);
  return lines;
}

/** Of the step that failed; indented to set it apart. */
export function tracebackLines(
  state: State,
  step: string | undefined,
  file: string | undefined,
  paint: Painter,
): string[] {
  const error = step === state.error?.step ? state.error : state.steps.get(step ?? '')?.error;
  const site = { plan: state.plan, step, task: error?.task };
  const lines = tracebackOf(error, site, file && relative(process.cwd(), file));
  return lines.map((line) => paint(`    ${harmless(line)}`, 'dim'));
}

function subjectOf({ plan, error }: State): string {
  if (plan.kind === 'notebook' && error?.step) return `cell "${error.step}": `;
  const who = [error?.step && `step "${error.step}"`, error?.task && `task "${error.task}"`].filter(Boolean);
  return who.length > 0 ? `${who.join(', ')}: ` : '';
}

const LISTED = 10;

/** The other steps that failed, and how many did not run because of that. */
export function otherFailures(state: State): string[] {
  const word = state.plan.kind === 'notebook' ? 'cell' : 'step';
  const all = [...state.steps].filter(([name]) => name !== state.error?.step);
  const failed = all.filter(([, { status }]) => status === 'failed');
  const skipped = all.filter(([, { status }]) => status === 'skipped').map(([name]) => `"${name}"`);
  const lines = failed
    .slice(0, LISTED)
    .map(([name, { error }]) => oneLine(`${word} "${name}": ${error?.message ?? 'failed'}`));
  if (failed.length > LISTED) lines.push(`and ${failed.length - LISTED} more that failed`);
  if (skipped.length > 0) {
    const some = skipped.slice(0, LISTED).join(', ') + (skipped.length > LISTED ? ', …' : '');
    lines.push(harmless(`skipped ${skipped.length} ${word}${skipped.length === 1 ? '' : 's'}: ${some}`));
  }
  return lines;
}

/** Commands are meant to be copied, so they are never cut. */
const NARROW = 48;

export function nextCommands(
  state: State,
  file: string | undefined,
  columns = Number.POSITIVE_INFINITY,
): string {
  const id = state.execution_id;
  const again = (file && allowing(state, relative(process.cwd(), file))) ?? `woof rerun ${id}`;
  const commands = [`woof why ${id}`, `woof logs ${id}`, again];
  if (columns < NARROW) return `  more\n${commands.map((command) => `  ${command}\n`).join('')}`;
  return `  more    ${commands.join('\n          ')}\n`;
}

/**
 * A run that lacks a permission would fail again: the command that grants it, together with what was already granted.
 */
function allowing({ error, granted }: State, file: string): string | undefined {
  if (error?.kind !== 'policy') return undefined;
  const [, missing] = /, or run with --allow (files|network|shell)\b/.exec(error.message) ?? [];
  if (missing === undefined) return undefined;
  const before = ['files', 'network', 'shell'].filter((key) => granted[`allow_${key}`]);
  return `woof run ${harmless(shellWord(file))} --allow ${[...before, missing].join(',')}`;
}

/** Where it failed: the lines of the document that its traceback names, else one place. */
function placesOf(state: State, file: string): string[] {
  const frames = framesOf(state);
  if (frames.length > 0)
    return frames.map(
      ({ line, text }, i) =>
        `  ${i === 0 ? 'at' : '  '}      ${harmless(`${file}:${line}  ${text}`.trimEnd())}`,
    );
  const place = failurePlace(state);
  return place ? [`  at      ${harmless(file)}:${place.line}`] : [];
}

/** The outermost and innermost frames are enough. */
function framesOf(state: State): CodePlace[] {
  const frames = failureFrames(state);
  return frames.length <= LISTED ? frames : [...frames.slice(0, LISTED / 2), ...frames.slice(-LISTED / 2)];
}
