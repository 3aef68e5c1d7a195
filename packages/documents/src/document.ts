/**
 * Any text to a plan: recognises the kind of document and hands it to its folder.
 *
 * Invariants: never throws on any text; a plan is there exactly where no diagnostic is an error; diagnostics are in
 * the order of the text and bounded in number.
 */
import type { Diagnostic, Plan, ToolSchema } from '@woof/net';
import { documentProblems } from './diagnostics.ts';
import { compilePlaybook } from './playbook/compile.ts';
import { problems } from './playbook/diagnostics.ts';
import { Reading } from './playbook/reading.ts';
import { parseYaml, type YamlText } from './yaml/parse.ts';
import { Source } from './yaml/source.ts';
import { child, isNull, type MapNode, type Node, textOf } from './yaml/tree.ts';

export interface ReadOptions {
  file?: string;
  /** The tool kinds that this program has; documents know none themselves. */
  kinds: readonly ToolSchema[];
}

export type DocumentKind = 'playbook' | 'notebook' | 'workflow' | 'unknown';

export interface ReadResult {
  kind: DocumentKind;
  /** There exactly where no diagnostic is an error. */
  plan?: Plan;
  diagnostics: Diagnostic[];
}

const MAX_DIAGNOSTICS = 200;
const NOTEBOOK = /^\uFEFF?%WOOFNB/;

export function readDocument(text: string, options: ReadOptions): ReadResult {
  if (NOTEBOOK.test(text)) {
    const at = new Source(text).span(0, text.indexOf('\n') === -1 ? text.length : text.indexOf('\n'));
    return { kind: 'notebook', diagnostics: [documentProblems.notYet(at, 'a notebook')] };
  }
  const yaml = parseYaml(text);
  const kind = kindOf(yaml, text);
  const diagnostics = [...yaml.diagnostics, ...yaml.unquoted.map(problems.unquotedTemplate)];
  if (!yaml.root) return { kind, diagnostics: arrange(diagnostics) };
  if (kind !== 'playbook' || yaml.root.type !== 'map') {
    return { kind, diagnostics: arrange([...diagnostics, notPlaybook(kind, yaml.root, yaml.source)]) };
  }
  const reading = new Reading(yaml.source, options.kinds);
  const plan = compilePlaybook(reading, yaml.root);
  const all = [...diagnostics, ...reading.diagnostics];
  const failed = all.some((each) => each.severity === 'error');
  return { kind, ...(failed ? {} : { plan }), diagnostics: arrange(all) };
}

function kindOf(yaml: YamlText, text: string): DocumentKind {
  if (!yaml.root)
    return /^(kind:\s*["']?Playbook|apiVersion:\s*["']?noetl\.io|workflow:)/m.test(text)
      ? 'playbook'
      : 'unknown';
  if (yaml.root.type !== 'map') return 'unknown';
  return kindOfMap(yaml.root);
}

function kindOfMap(root: MapNode): DocumentKind {
  const kind = textOf(child(root, 'kind'));
  if (kind?.toLowerCase() === 'playbook') return 'playbook';
  if (root.entries.has('stages')) return 'workflow';
  const isNoetl = textOf(child(root, 'apiVersion'))?.startsWith('noetl.io/') ?? false;
  return isNoetl || root.entries.has('workflow') ? 'playbook' : 'unknown';
}

function notPlaybook(kind: DocumentKind, root: Node, source: Source): Diagnostic {
  const first = root.type === 'map' ? root.entries.values().next().value?.at : undefined;
  const at = source.span(first?.start ?? root.start, first?.end ?? root.end);
  if (kind === 'workflow') return documentProblems.notYet(at, 'a stage workflow');
  return isNull(root) ? documentProblems.empty(at) : documentProblems.unknown(at);
}

function arrange(diagnostics: Diagnostic[]): Diagnostic[] {
  const unique = new Map(diagnostics.map((each) => [JSON.stringify(each), each]));
  const errorsFirst = [...unique.values()].sort((a, b) => a.severity.localeCompare(b.severity));
  return errorsFirst.slice(0, MAX_DIAGNOSTICS).sort((a, b) => a.line - b.line || a.column - b.column);
}
