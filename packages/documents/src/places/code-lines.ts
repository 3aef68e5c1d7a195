/** Where lines of code are in the document: in the body of a cell, or in the `code` of a task. */
import { type CellTask, isNamedCall, type Plan, type Task } from '@woof/net';

/** A step, and the task in it whose code may be meant. */
export interface CodeSite {
  plan: Plan;
  step: string | undefined;
  task: string | undefined;
}

export interface CodePlace {
  /** Of the document. */
  line: number;
  /** The text of the line; empty if only the code that contains it is known. */
  text: string;
}

const TEMPLATE = /\{([{%#])(-?)/;

/**
 * The place of line `n` of the code that a language calls by this name. `shown`: the text of the line, according to the
 * language.
 *
 * Templates may add and remove lines. From the first template on, a line is identified by its text if it is unique;
 * otherwise the place is the first line of the code.
 */
export function codePlace(site: CodeSite, name: string, n: number, shown?: string): CodePlace | undefined {
  const code = codeCalled(site, name);
  if (code === undefined) return undefined;
  const texts = code.text.split('\n').map((text) => text.trim());
  const at = n <= code.fixedLines ? n - 1 : onlyIndexOf(texts, shown?.trim());
  if (at === undefined) return { line: code.first, text: '' };
  return { line: code.lines?.[at] ?? code.lines?.at(-1) ?? code.first + at, text: texts[at] ?? '' };
}

interface Code {
  text: string;
  first: number;
  lines?: readonly number[] | undefined;
  /** How many of its lines no template can move. */
  fixedLines: number;
}

function codeCalled(site: CodeSite, name: string): Code | undefined {
  const { plan } = site;
  const cell = plan.kind === 'notebook' ? plan.steps.find((step) => step.name === name) : undefined;
  if (cell)
    return { text: bodyOf(cell.tasks[0]), first: cell.at[0] + 1, fixedLines: Number.POSITIVE_INFINITY };
  if (name !== 'code') return undefined;
  const { path, task } = codeAt(site);
  const first = plan.where[`${path}/code`]?.[0];
  if (first === undefined) return undefined;
  const text = String(task?.input.code ?? '');
  return { text, first, lines: plan.codeLines?.[`${path}/code`], fixedLines: linesBeforeTemplates(text) };
}

function bodyOf(task: Task | undefined): string {
  return (task?.input as unknown as CellTask | undefined)?.body ?? '';
}

/** The kind of the task whose code runs. */
export const kindOfCode = (site: CodeSite): string | undefined => codeAt(site).task?.kind;

/** The task whose code runs; for a call, the named task. */
function codeAt({ plan, step, task }: CodeSite): { path: string; task: Task | undefined } {
  const found = plan.steps.find(({ name }) => name === step)?.tasks.find(({ label }) => label === task);
  if (!found || !isNamedCall(found)) return { path: `${step}/tool/${task}`, task: found };
  const name = String(found.input.name);
  return { path: `workbook/${name}`, task: plan.blocks[name] };
}

/** Lines that end before the first template, which may strip the white space before it. */
function linesBeforeTemplates(code: string): number {
  const template = TEMPLATE.exec(code);
  if (!template) return Number.POSITIVE_INFINITY;
  const before = code.slice(0, template.index);
  return (template[2] === '-' ? before.trimEnd() : before).split('\n').length - 1;
}

function onlyIndexOf(texts: readonly string[], text: string | undefined): number | undefined {
  const at = text === undefined ? -1 : texts.indexOf(text);
  return at === -1 || texts.lastIndexOf(text!) !== at ? undefined : at;
}
