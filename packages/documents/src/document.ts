/**
 * Any text to a plan: recognises the kind of document and hands it to its folder.
 *
 * Invariants: never throws, whatever the text; a playbook or workflow has a plan exactly if no diagnostic is an error;
 * diagnostics are in the order of the text and limited in number.
 */
import type { DeclaredSchedule, Diagnostic, Plan, ResultStoreSchema, ToolSchema } from '@woof/net';
import type { Rules } from '@woof/policy';
import { documentProblems } from './diagnostics.ts';
import { type Graph, graphOf } from './graph/graph.ts';
import { graphOfNotebook, hasGraph } from './notebook/graph.ts';
import { lintNotebook } from './notebook/lint.ts';
import type { Notebook } from './notebook/notebook.ts';
import { isNotebookFile, isNotebookText, parseNotebook } from './notebook/parse.ts';
import { schedulesOfNotebook } from './notebook/schedules.ts';
import { pageProblem } from './page-problem.ts';
import { compilePlaybook } from './playbook/compile.ts';
import { problems } from './playbook/diagnostics.ts';
import { Reading } from './playbook/reading.ts';
import { compileWorkflow } from './workflow/compile.ts';
import { problems as workflowProblems } from './workflow/diagnostics.ts';
import { Reading as WorkflowReading } from './workflow/reading.ts';
import { parseYaml, type YamlText } from './yaml/parse.ts';
import { parseJson } from './yaml/parse-json.ts';
import { parseSimple } from './yaml/parse-simple.ts';
import { Source } from './yaml/source.ts';
import { child, isNull, type MapNode, type Node, textOf } from './yaml/tree.ts';

export interface ReadOptions {
  file?: string;
  /** The tool kinds that this program has; documents know none themselves. */
  kinds: readonly ToolSchema[];
  /** The result stores that this program has, by kind; absent: any kind is accepted. */
  resultStores?: Readonly<Record<string, ResultStoreSchema>>;
  /** The rules of an organisation, read if a document has exec blocks; default: the built-in ones. */
  rules?: () => Rules;
}

export type DocumentKind = 'playbook' | 'notebook' | 'workflow' | 'unknown';

export interface ReadResult {
  kind: DocumentKind;
  /** Of a playbook or workflow: present exactly if no diagnostic is an error. */
  plan?: Plan;
  /** Of a notebook: always present, because any text is a notebook, with diagnostics. */
  notebook?: Notebook;
  /** When a server starts the document, once it is registered there. */
  schedules?: DeclaredSchedule[];
  diagnostics: Diagnostic[];
}

const MAX_DIAGNOSTICS = 200;

export function readDocument(text: string, options: ReadOptions): ReadResult {
  if (isNotebook(text, options)) {
    const { notebook } = parseNotebook(text);
    const { schedules } = schedulesOfNotebook(notebook);
    return { kind: 'notebook', notebook, schedules, diagnostics: arrange(lintNotebook(notebook)) };
  }
  const page = pageProblem(text);
  if (page) return { kind: 'unknown', diagnostics: [page] };
  const yaml = parseText(text);
  const kind = kindOf(yaml, text);
  const { unquotedTemplate } = kind === 'workflow' ? workflowProblems : problems;
  const diagnostics = [...yaml.diagnostics, ...yaml.unquoted.map(unquotedTemplate)];
  if (!yaml.root) return { kind, diagnostics: arrange(diagnostics) };
  if (kind === 'unknown' || yaml.root.type !== 'map') {
    return { kind, diagnostics: arrange([...diagnostics, unknown(yaml.root, yaml.source)]) };
  }
  const { plan, found, schedules } = compile(kind, yaml.root, yaml.source, options);
  const all = [...diagnostics, ...found];
  const failed = all.some((each) => each.severity === 'error');
  return { kind, ...(failed ? {} : { plan, schedules }), diagnostics: arrange(all) };
}

function compile(
  kind: DocumentKind,
  root: MapNode,
  source: Source,
  { kinds, resultStores, rules }: ReadOptions,
): { plan: Plan; found: Diagnostic[]; schedules: DeclaredSchedule[] } {
  if (kind === 'workflow') {
    const reading = new WorkflowReading(source, rules);
    const plan = compileWorkflow(reading, root);
    return { plan, found: reading.diagnostics, schedules: reading.schedules };
  }
  const reading = new Reading(source, kinds, resultStores);
  const plan = compilePlaybook(reading, root);
  return { plan, found: reading.diagnostics, schedules: reading.schedules };
}

/** The picture of a document. A notebook that cannot run still has one, as long as its cells are clear. */
export function graphOfDocument(
  text: string,
  options: ReadOptions,
): { graph?: Graph; diagnostics: Diagnostic[] } {
  const { plan, notebook, diagnostics } = readDocument(text, options);
  if (plan) return { graph: graphOf(plan), diagnostics };
  return notebook && hasGraph(diagnostics)
    ? { graph: graphOfNotebook(notebook), diagnostics }
    : { diagnostics };
}

/** A notebook says so in its first line or, if that is missing, in its file name. */
export function isNotebook(text: string, { file }: ReadOptions): boolean {
  return isNotebookText(text) || (file !== undefined && isNotebookFile(file));
}

/** Dedicated parsers read JSON and simple YAML much faster. */
function parseText(text: string): YamlText {
  const root = parseJson(text) ?? parseSimple(text);
  return root ? { source: new Source(text), root, unquoted: [], diagnostics: [] } : parseYaml(text);
}

function kindOf(yaml: YamlText, text: string): DocumentKind {
  if (!yaml.root) return guessedKind(text);
  if (yaml.root.type !== 'map') return 'unknown';
  return kindOfMap(yaml.root);
}

/** For a text that is not even YAML, so that its diagnostics fit the kind of document that it was meant to be. */
function guessedKind(text: string): DocumentKind {
  if (/^(kind:\s*["']?Playbook|apiVersion:\s*["']?noetl\.io|workflow:)/m.test(text)) return 'playbook';
  const stages = text.trimStart().startsWith('{') ? /"stages"\s*:/ : /^stages:/m;
  return stages.test(text) ? 'workflow' : 'unknown';
}

function kindOfMap(root: MapNode): DocumentKind {
  const kind = textOf(child(root, 'kind'));
  if (kind?.toLowerCase() === 'playbook') return 'playbook';
  if (root.entries.has('stages')) return 'workflow';
  const isNoetl = textOf(child(root, 'apiVersion'))?.startsWith('noetl.io/') ?? false;
  return isNoetl || root.entries.has('workflow') ? 'playbook' : 'unknown';
}

function unknown(root: Node, source: Source): Diagnostic {
  const first = root.type === 'map' ? root.entries.values().next().value?.at : undefined;
  const at = source.span(first?.start ?? root.start, first?.end ?? root.end);
  if (isNull(root)) return documentProblems.empty(at);
  const isJupyter = root.type === 'map' && root.entries.has('cells') && root.entries.has('nbformat');
  return isJupyter ? documentProblems.jupyter(at) : documentProblems.unknown(at);
}

function arrange(diagnostics: Diagnostic[]): Diagnostic[] {
  const unique = new Map(diagnostics.map((each) => [JSON.stringify(each), each]));
  const errorsFirst = [...unique.values()].sort((a, b) => a.severity.localeCompare(b.severity));
  return errorsFirst.slice(0, MAX_DIAGNOSTICS).sort((a, b) => a.line - b.line || a.column - b.column);
}
