/** How the views of a run word times, statuses and values. */
import { type StepStatus, WAITING_FOR_APPROVAL } from '@woof/net';
import type { Head, StepMark } from './run-source.ts';

const SIGNS: Record<string, string> = {
  pending: '○',
  running: '◐',
  succeeded: '●',
  failed: '✕',
  skipped: '–',
  needs_human: '?',
  cancelled: '⊘',
  paused: '‖',
  connected: '●',
  draining: '◐',
  gone: '○',
};

export const signOf = (status: StepStatus | string): string => SIGNS[status] ?? '·';

export const wordOf = (status: string): string =>
  status === 'needs_human' ? WAITING_FOR_APPROVAL : status.replace('_', ' ');

/** How far its loop is, or how often it ran; nothing if it ran once. */
export function countOf({ runs, progress, reused_from }: StepMark): string {
  if (reused_from !== undefined) return 'reused';
  if (progress) return `${progress.done}/${progress.total}`;
  return runs > 1 ? `${runs}×` : '';
}

/** Local time in ISO order, which the Swedish locale has. */
export const localTime = (at: number | string): string => new Date(at).toLocaleString('sv');

/** Converts the times in a sentence of the engine, which writes them in UTC. */
export const localTimes = (text: string): string =>
  text.replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/g, (time) => localTime(time));

/** For a long log, which is loaded when somebody looks back. */
export const loadingText = ({ loaded, length }: Pick<Head, 'loaded' | 'length'>): string =>
  `loading events (${loaded} of ${length})`;

export function lengthOf(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
