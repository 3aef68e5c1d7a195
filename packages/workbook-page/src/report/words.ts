/** How a report says times, statuses and values. */
import { encodeJson, type Json, type StepStatus } from '@woof/net';

const SIGNS: Record<string, string> = {
  pending: '○',
  running: '◐',
  succeeded: '●',
  failed: '✕',
  skipped: '–',
  needs_human: '?',
  cancelled: '⊘',
  paused: '‖',
};

export const signOf = (status: StepStatus | string): string => SIGNS[status] ?? '·';

export const wordOf = (status: string): string => status.replace('_', ' ');

export function lengthOf(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const LONGEST_VALUE = 100_000;

export function valueText(value: Json): string {
  const text = typeof value === 'string' ? value : (encodeJson(value, 2) ?? '');
  if (text.length <= LONGEST_VALUE) return text;
  return `${text.slice(0, LONGEST_VALUE)}\n… (${text.length - LONGEST_VALUE} more characters)`;
}
