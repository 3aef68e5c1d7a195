import { renderDiagnostics } from '@woof/documents';
import type { Diagnostic } from '@woof/net';
import { wantsColor } from './terminal.ts';

const MOST_SHOWN = 5;

/** Prints the warnings about a document that runs all the same. */
export function warnOf(diagnostics: readonly Diagnostic[], text: string, file: string): void {
  if (diagnostics.length === 0) return;
  const shown = diagnostics.slice(0, MOST_SHOWN);
  process.stderr.write(`${renderDiagnostics(shown, text, file, { color: wantsColor(process.stderr) })}\n`);
  const more = diagnostics.length - shown.length;
  if (more > 0) process.stderr.write(`${more} more warning${more === 1 ? '' : 's'}: woof lint ${file}\n`);
}
