/** Text for a terminal: colours if wanted, nothing that controls the terminal, short forms of values. */

import { harmless, paint as paintedIf, type Style, shorten } from '@woof/documents/terminal-text';
import { type ExecutionStatus, encodeJson, type Json, type StepStatus } from '@woof/net';
import { fitted, widthOf } from './text-width.ts';

export { harmless, shorten };

export function wantsColor(stream: { isTTY?: boolean }): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0';
  return stream.isTTY === true && TERM !== 'dumb';
}

/** A message that may have several lines, on one. */
export function oneLine(text: string): string {
  return harmless(text.replaceAll(/\s*[\r\n]+\s*/g, ' '));
}

export interface Painter {
  readonly color: boolean;
  (text: string, style: Style): string;
}

export function painter(stream: { isTTY?: boolean }): Painter {
  const color = wantsColor(stream);
  const paint = (text: string, style: Style) => paintedIf(text, style, color);
  return Object.assign(paint, { color });
}

const STYLES: Record<ExecutionStatus | StepStatus, [glyph: string, style: Style]> = {
  pending: ['·', 'dim'],
  running: ['▶', 'cyan'],
  paused: ['⏸', 'yellow'],
  needs_human: ['?', 'yellow'],
  succeeded: ['✓', 'green'],
  failed: ['✗', 'red'],
  cancelled: ['■', 'yellow'],
  skipped: ['-', 'dim'],
};

export function glyph(status: ExecutionStatus | StepStatus, paint: Painter): string {
  const [sign, style] = STYLES[status];
  return paint(sign, style);
}

export function statusWord(status: ExecutionStatus | StepStatus, paint: Painter, width = 0): string {
  return paint(status.padEnd(width), STYLES[status][1]);
}

/** A value on one line. */
export function preview(value: Json | undefined, limit: number): string {
  if (value === undefined) return '';
  return shorten(harmless(encodeJson(value).slice(0, 2 * limit + 2)), limit);
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function byteCount(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

/** Rows in columns, cut to a width; the last column is not padded. Cells may contain colours. */
export function table(rows: readonly (readonly string[])[], columns = Number.POSITIVE_INFINITY): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell + ' '.repeat(widths[i]! - widthOf(cell))))
      .join('  ');
  return rows.map((row) => `${fitted(line(row).trimEnd(), columns)}\n`).join('');
}
