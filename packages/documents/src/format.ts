/** Any text to its canonical form, or to the reasons why it has none. */
import type { Diagnostic } from '@woof/net';
import { documentProblems } from './diagnostics.ts';
import { isNotebook, type ReadOptions, readDocument } from './document.ts';
import { formatNotebook } from './notebook/format.ts';
import { parseNotebook } from './notebook/parse.ts';
import { formatPlaybook } from './playbook/format.ts';
import { formatWorkflow } from './workflow/format.ts';
import { Source } from './yaml/source.ts';

export interface FormatResult {
  text?: string;
  diagnostics: Diagnostic[];
}

export interface FormatOptions extends ReadOptions {
  /** Fixes what formatting alone refuses: duplicate ids in a notebook. */
  fix?: boolean;
}

/** A document that parses is formatted even if it cannot run; a document that does not parse is refused. */
export function formatDocument(text: string, options: FormatOptions): FormatResult {
  if (isNotebook(text, options)) {
    return formatNotebook(parseNotebook(text).notebook, { fix: options.fix ?? false });
  }
  const { kind, diagnostics } = readDocument(text, options);
  const unreadable = diagnostics.filter(
    ({ code, severity }) =>
      severity === 'error' && (/^(yaml|document)\//.test(code) || code.endsWith('/unquoted-template')),
  );
  if (kind === 'unknown' || unreadable.length > 0) return { diagnostics: unreadable };
  const formatted = kind === 'workflow' ? formatWorkflow(text) : formatPlaybook(text);
  if (formatted !== undefined) return { text: formatted, diagnostics: [] };
  return { diagnostics: [documentProblems.cannotFormat(new Source(text).span(0, 1))] };
}
