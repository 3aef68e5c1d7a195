/** Tracebacks for people: the lines of a cell or of a task's code, as each language names them, are lines of the document. */
import { relative } from 'node:path';
import type { CellTask, Plan, TaskError } from '@woof/net';
import type { LogLine } from '@woof/worker';
import { type CodePlace, type CodeSite, codePlace, kindOfCode } from './code-lines.ts';

/**
 * Languages call a cell `<id>` and the code of a task `<code>`, and count lines from one. Groups: what stands before the name, the
 * name, what stands between it and the line, the line; of Python also the text of the line, which it shows below.
 */
const PYTHON_FRAME = /^([ |+-]*File ")<([^<>\n]+)>(", line )(\d+)(?=[^\n]*\n[ |]+(?!File ")(\S[^\n]*)|)/gm;
/** JavaScript's `at f (<id>:2:9)` and `<id>:2` of syntax errors, R's `<id>:2: f(3)`. */
const OTHER_FRAME = /^((?:[ \t]+at [^\n]*?)?)<([^<>\n]+)>(:)(\d+)(?=:\d+\)?$|: |$)/gm;
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
  return text.replaceAll(frameOf(site), (whole, ...[before, name, between, n, shown]: string[]) => {
    const place = codePlace(site, name!, Number(n), shown);
    return place === undefined ? whole : `${before}${file}${between}${place.line}`;
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
  return [...lines.slice(0, half), `  … ${dropped} lines left out; --json shows them`, ...lines.slice(-half)];
}

/** Places in the document that a traceback names, outermost first. */
export function documentFrames(error: TaskError | undefined, site: CodeSite): CodePlace[] {
  const text = error?.details?.traceback;
  if (typeof text !== 'string') return [];
  const frames = [...text.matchAll(frameOf(site))];
  return frames.flatMap(([, , name, , n, shown]) => codePlace(site, name!, Number(n), shown) ?? []);
}

/** How the language of the code that runs writes a place. */
function frameOf(site: CodeSite): RegExp {
  const { plan, step } = site;
  if (plan.kind !== 'notebook') return kindOfCode(site) === 'r' ? OTHER_FRAME : PYTHON_FRAME;
  const cell = plan.steps.find(({ name }) => name === step)?.tasks[0]?.input as unknown as
    | CellTask
    | undefined;
  return cell?.language === 'python' ? PYTHON_FRAME : OTHER_FRAME;
}
