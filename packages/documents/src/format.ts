/** Any text to its canonical form, or to the reasons why it has none. */
import type { Diagnostic } from '@woof/net';
import { documentProblems } from './diagnostics.ts';
import { type ReadOptions, readDocument } from './document.ts';
import { formatPlaybook } from './playbook/format.ts';
import { Source } from './yaml/source.ts';

export interface FormatResult {
  text?: string;
  diagnostics: Diagnostic[];
}

/** A playbook that parses is formatted even where it could not run; what does not parse is refused. */
export function formatDocument(text: string, options: ReadOptions): FormatResult {
  const { kind, diagnostics } = readDocument(text, options);
  const unreadable = diagnostics.filter(
    ({ code, severity }) =>
      severity === 'error' && (/^(yaml|document)\//.test(code) || code === 'playbook/unquoted-template'),
  );
  if (kind !== 'playbook' || unreadable.length > 0) return { diagnostics: unreadable };
  const formatted = formatPlaybook(text);
  if (formatted !== undefined) return { text: formatted, diagnostics: [] };
  return { diagnostics: [documentProblems.cannotFormat(new Source(text).span(0, 1))] };
}
