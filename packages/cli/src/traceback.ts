/** Tracebacks for people: the lines of a cell or of a task's code, as each language names them, are lines of the document. */
import { relative } from 'node:path';
import type { CellTask, Plan, Task, TaskError } from '@woof/net';
import type { LogLine } from '@woof/worker';

/** A step, and the task of it whose code may be meant. */
export interface CodeSite {
  plan: Plan;
  step: string | undefined;
  task: string | undefined;
}

/** Languages call a cell `<id>` and the code of a task `<code>`, and count lines from one. */
const PLACE = /<([^<>\n]+)>(", line |:)(\d+)/g;
const MOST_LINES = 40;

/** What a task wrote to stderr, which may be a traceback. */
export function withPlaces(line: LogLine, plan: Plan, file: string): LogLine {
  if (line.stream !== 'stderr' || !line.text.includes('<')) return line;
  const site = { plan, step: line.step, task: labelOf(line.task_run_id) };
  return { ...line, text: inDocument(line.text, site, relative(process.cwd(), file)) };
}

/** `fetch.2/17/get_page.3` is a run of `get_page`. */
function labelOf(taskRunId: string): string {
  return taskRunId.slice(taskRunId.lastIndexOf('/') + 1).replace(/\.\d+$/, '');
}

/** The text with the file and its lines in place of cells and code. */
function inDocument(text: string, site: CodeSite, file: string): string {
  return text.replaceAll(PLACE, (whole, name: string, between: string, line: string) => {
    const first = firstLine(site, name);
    return first === undefined ? whole : `${file}${between}${first + Number(line) - 1}`;
  });
}

/** What an error's traceback says, bounded; none where it has none. */
export function tracebackOf(
  error: TaskError | undefined,
  site: CodeSite,
  file: string | undefined,
): string[] {
  const text = error?.details?.traceback;
  if (typeof text !== 'string' || text.trim() === '') return [];
  const lines = (file === undefined ? text : inDocument(text, site, file)).trimEnd().split('\n');
  if (lines.length <= MOST_LINES) return lines;
  const half = MOST_LINES / 2;
  const dropped = lines.length - MOST_LINES;
  return [
    ...lines.slice(0, half),
    `  … ${dropped} lines are left out; --json has them`,
    ...lines.slice(-half),
  ];
}

/** Lines of the document that a traceback names, with their text, outermost first. */
export function documentFrames(error: TaskError | undefined, site: CodeSite): [line: number, text: string][] {
  const text = error?.details?.traceback;
  if (typeof text !== 'string') return [];
  return [...text.matchAll(PLACE)].flatMap(([, name = '', , line]): [number, string][] => {
    const first = firstLine(site, name);
    if (first === undefined) return [];
    return [[first + Number(line) - 1, codeOf(site, name).split('\n')[Number(line) - 1]?.trim() ?? '']];
  });
}

/** Of the code that a language calls by this name, in the document. */
function firstLine({ plan, ...site }: CodeSite, name: string): number | undefined {
  const cell = plan.kind === 'notebook' ? plan.steps.find((step) => step.name === name) : undefined;
  if (cell) return cell.at[0] + 1;
  return name === 'code' ? plan.where[`${codeAt({ plan, ...site }).path}/code`]?.[0] : undefined;
}

function codeOf(site: CodeSite, name: string): string {
  const cell = site.plan.steps.find((step) => step.name === name)?.tasks[0];
  if (site.plan.kind === 'notebook') return (cell?.input as unknown as CellTask | undefined)?.body ?? '';
  return String(codeAt(site).task?.input.code ?? '');
}

/** The task whose code runs: where a named one is called, that. */
function codeAt({ plan, step, task }: CodeSite): { path: string; task: Task | undefined } {
  const found = plan.steps.find(({ name }) => name === step)?.tasks.find(({ label }) => label === task);
  if (found?.kind !== 'workbook') return { path: `${step}/tool/${task}`, task: found };
  const name = String(found.input.name);
  return { path: `workbook/${name}`, task: plan.blocks[name] };
}
