/**
 * A run as stored in the files of a report's source bundle. The page reads the same files that `woof unbundle` writes,
 * so there is only one copy.
 */
import type { Drawing, Numbers } from '@woof/documents/graph';
import { decodeFinite, type Event, encodeJson, type Plan } from '@woof/net';

export interface RunData {
  execution_id: string;
  name: string;
  /** The document's file, as the user named it. */
  file?: string;
  plan: Plan;
  events: Event[];
  logs: LogEntry[];
  /** Large values that the events refer to, by reference; limited in size. */
  values: Record<string, string>;
  /** Nested runs. */
  children: { execution_id: string; name: string; status: string }[];
  /** The text of the document, if it was kept. */
  document?: string;
  /** Where the run failed in it. */
  place?: { step?: string; line: number; column?: number };
}

/** What a page contains. */
export interface ReportData extends RunData {
  drawing: Drawing;
  tracebacks: PlacedTraceback[];
}

/** What a task said, with lines of its code, and how it reads with lines of the document. */
export interface PlacedTraceback {
  step: string;
  task?: string | undefined;
  said: string;
  placed: string;
}

export interface LogEntry {
  at: string;
  step: string;
  stream: 'stdout' | 'stderr';
  text: string;
}

export interface RunFile {
  path: string;
  text: string;
}

/** In characters, of at most three bytes each: a bundle drops files over 5 MiB. */
const LINES_OF_A_FILE = 1024 * 1024;

const DOCUMENT = 'document.txt';

export function toRunFiles(run: ReportData): RunFile[] {
  const { plan, drawing, tracebacks, events, logs, values, document, ...head } = run;
  return [
    { path: 'run.json', text: jsonFile(head) },
    { path: 'plan.json', text: jsonFile(plan) },
    { path: 'drawing.json', text: `${encodeJson(asLists(drawing))}\n` },
    ...(document === undefined ? [] : [{ path: DOCUMENT, text: document }]),
    ...inParts('tracebacks', tracebacks),
    ...inParts('events', events),
    ...inParts('logs', logs),
    ...inParts('values', Object.entries(values)),
  ];
}

/** `toRunFiles` writes no number that is not finite. */
export function fromRunFiles(files: readonly RunFile[]): ReportData {
  const text = (path: string) => files.find((file) => file.path === path)?.text ?? '{}';
  const lines = (folder: string): unknown[] =>
    files
      .filter(({ path }) => path.startsWith(`${folder}/`))
      .flatMap((file) => file.text.split('\n').filter(Boolean))
      .map((line) => decodeFinite(line) as unknown);
  const document = files.find(({ path }) => path === DOCUMENT)?.text;
  return {
    ...(decodeFinite(text('run.json')) as Pick<
      ReportData,
      'execution_id' | 'name' | 'file' | 'place' | 'children'
    >),
    plan: decodeFinite(text('plan.json')) as Plan,
    drawing: JSON.parse(text('drawing.json')) as Drawing,
    tracebacks: lines('tracebacks') as unknown as PlacedTraceback[],
    events: lines('events') as Event[],
    logs: lines('logs') as LogEntry[],
    values: Object.fromEntries(lines('values') as [string, string][]),
    ...(document === undefined ? {} : { document }),
  };
}

/** In whole pixels. */
function asLists(drawing: Drawing): object {
  const whole = (value: number | Numbers) =>
    typeof value === 'number' ? Math.round(value) : Array.from(value, Math.round);
  return Object.fromEntries(Object.entries(drawing).map(([key, value]) => [key, whole(value)]));
}

/** With line breaks, unless they would make a large plan too large for a bundle. */
function jsonFile(value: unknown): string {
  const readable = encodeJson(value, 2);
  return `${readable.length > LINES_OF_A_FILE ? encodeJson(value) : readable}\n`;
}

/** A bundle limits the size of each file, so long lists are split. */
function inParts(folder: string, entries: readonly unknown[]): RunFile[] {
  const parts: string[] = [];
  let part = '';
  for (const entry of entries) {
    const line = `${encodeJson(entry)}\n`;
    if (part !== '' && part.length + line.length > LINES_OF_A_FILE) {
      parts.push(part);
      part = '';
    }
    part += line;
  }
  if (part !== '') parts.push(part);
  return parts.map((text, i) => ({ path: `${folder}/${String(i + 1).padStart(4, '0')}.jsonl`, text }));
}
