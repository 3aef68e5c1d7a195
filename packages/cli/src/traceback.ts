/**
 * Tracebacks for people: lines of a cell or of a task's code, as each language names them, become lines of the
 * document.
 */
import { relative } from 'node:path';
import { type CodeSite, inDocument } from '@woof/documents/places';
import type { Plan, TaskError } from '@woof/net';
import type { LogEntry } from '@woof/stores';

const MOST_LINES = 40;

/** What a task wrote to stderr, which may be a traceback. */
export function withPlaces(line: LogEntry, plan: Plan, file: string): LogEntry {
  if (line.stream !== 'stderr' || !line.text.includes('<')) return line;
  const site = { plan, step: line.step, task: labelOf(line.task_run_id) };
  return { ...line, text: inDocument(line.text, site, relative(process.cwd(), file)) };
}

/** `fetch.2/17/get_page.3` is a run of `get_page`. */
function labelOf(taskRunId: string): string {
  return taskRunId.slice(taskRunId.lastIndexOf('/') + 1).replace(/\.\d+$/, '');
}

/** The traceback of an error, limited in length; empty if it has none. */
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
