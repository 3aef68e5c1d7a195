/**
 * Maps the lines of a cell or of a task's code, as each language names them in tracebacks, to lines of the document.
 */
import type { CellTask, TaskError } from '@woof/net';
import { type CodePlace, type CodeSite, codePlace, kindOfCode } from './code-lines.ts';

/**
 * Languages call a cell `<id>` and the code of a task `<code>`, and count lines from one. Groups: the text before the
 * name, the name, the text between name and line, the line; for Python also the text of the line, which it shows below.
 */
const PYTHON_FRAME = /^([ |+-]*File ")<([^<>\n]+)>(", line )(\d+)(?=[^\n]*\n[ |]+(?!File ")(\S[^\n]*)|)/gm;
/** JavaScript's `at f (<id>:2:9)` and `<id>:2` of syntax errors, R's `<id>:2: f(3)`. */
const OTHER_FRAME = /^((?:[ \t]+at [^\n]*?)?)<([^<>\n]+)>(:)(\d+)(?=:\d+\)?$|: |$)/gm;

/** By language. */
const FRAMES: Readonly<Record<string, RegExp>> = { python: PYTHON_FRAME, r: OTHER_FRAME };

/** The text with the file and its lines in place of cells and code. */
export function inDocument(text: string, site: CodeSite, file: string): string {
  return text.replaceAll(frameOf(site), (whole, ...[before, name, between, n, shown]: string[]) => {
    const place = codePlace(site, name!, Number(n), shown);
    return place === undefined ? whole : `${before}${file}${between}${place.line}`;
  });
}

/** Places in the document that a traceback names, outermost first. */
export function documentFrames(error: TaskError | undefined, site: CodeSite): CodePlace[] {
  const text = error?.details?.traceback;
  if (typeof text !== 'string') return [];
  const frames = [...text.matchAll(frameOf(site))];
  return frames.flatMap(([, , name, , n, shown]) => codePlace(site, name!, Number(n), shown) ?? []);
}

/** How the language of the running code writes a place. */
function frameOf(site: CodeSite): RegExp {
  const { plan, step } = site;
  if (plan.kind !== 'notebook') return FRAMES[kindOfCode(site) ?? ''] ?? PYTHON_FRAME;
  const cell = plan.steps.find(({ name }) => name === step)?.tasks[0]?.input as unknown as
    | CellTask
    | undefined;
  return FRAMES[cell?.language ?? ''] ?? OTHER_FRAME;
}
