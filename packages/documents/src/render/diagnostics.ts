/** Diagnostics for a terminal: place, severity and code, then the line with the spot underlined. */
import type { Diagnostic } from '@woof/net';
import { harmless, paint, widthOf } from './terminal-text.ts';

const FRAME_WIDTH = 120;

export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  text: string,
  file: string,
  options: { color: boolean },
): string {
  const lines = text.split(/\r?\n/);
  return diagnostics
    .map((each) => renderOne(each, lines[each.line - 1] ?? '', file, options.color))
    .join('\n');
}

function renderOne(diagnostic: Diagnostic, line: string, file: string, color: boolean): string {
  const { severity, code, line: row, column, message, hint } = diagnostic;
  const tint = severity === 'error' ? 'red' : 'yellow';
  const place = `${harmless(file)}:${row}:${column}`;
  const head = `${paint(place, 'bold', color)}  ${paint(severity, tint, color)}  ${paint(code, 'dim', color)}`;
  const { shown, before, marked } = crop(line, column - 1, diagnostic.endColumn);
  const number = String(row);
  const gutter = ' '.repeat(number.length);
  const carets = paint('^'.repeat(Math.max(1, widthOf(marked))), tint, color);
  const said = harmless(hint === undefined ? message : `${message}; ${hint}`);
  return [
    head,
    `  ${paint(`${number} |`, 'dim', color)} ${shown}`.trimEnd(),
    `  ${paint(`${gutter} |`, 'dim', color)} ${' '.repeat(widthOf(before))}${carets} ${said}`,
    '',
  ].join('\n');
}

/** A window of the line around the spot, with tabs as one blank so that the underline fits. */
function crop(line: string, start: number, endColumn: number | undefined) {
  const from = line.length > FRAME_WIDTH ? Math.max(0, start - FRAME_WIDTH / 2) : 0;
  const to = from + FRAME_WIDTH;
  const clean = (text: string) => harmless(text.replaceAll('\t', ' '));
  const lead = from > 0 ? '…' : '';
  const tail = to < line.length ? '…' : '';
  const end = Math.min(Math.max(start + 1, (endColumn ?? start + 2) - 1), to);
  return {
    shown: `${lead}${clean(line.slice(from, to))}${tail}`,
    before: `${lead}${clean(line.slice(from, start))}`,
    marked: clean(line.slice(start, end)),
  };
}
