/** The text of a playbook in v10; other documents have no older dialect. */
import {
  isNotebookFile,
  isNotebookText,
  renderDiagnostics,
  type Upgrade,
  upgradePlaybook,
} from '@woof/documents';
import { wantsColor } from './terminal.ts';
import { inFile, UserError } from './user-error.ts';

export const UPGRADE = {
  doc: 'read a playbook of the older dialect as if woof upgrade had rewritten it',
} as const;

export function upgradeText(text: string, file: string): Upgrade {
  if (isNotebookText(text) || isNotebookFile(file)) return { text, isOlder: false, diagnostics: [] };
  return upgradePlaybook(text);
}

/**
 * For running it at once: what cannot be upgraded is refused. A text that cannot be parsed is left to its next reader.
 */
export function upgradedOrRefused(text: string, file: string): string {
  const { text: upgraded, diagnostics } = upgradeText(text, file);
  if (upgraded === undefined) return text;
  if (!diagnostics.some(({ severity }) => severity === 'error')) return upgraded;
  const color = wantsColor(process.stderr);
  process.stderr.write(`${renderDiagnostics(diagnostics, text, file, { color })}\n`);
  throw new UserError(
    `${file} cannot be upgraded`,
    'correct the errors above, then try again',
    2,
    inFile(file, diagnostics),
  );
}
