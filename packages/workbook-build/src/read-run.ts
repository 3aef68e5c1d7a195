/** Reads everything of a run that a report shows: limited in size, with a note on what was left out. */
import { basename } from 'node:path';
import {
  type Event,
  emptyState,
  evolve,
  isReference,
  type Json,
  listParts,
  type Plan,
  type Reference,
  type State,
} from '@woof/net';
import type { LogEntry, RunData } from '@woof/workbook-page';

const EVENTS_LIMIT = 300_000;
const LOG_LIMIT = 8 * 1024 * 1024;
/** What a line takes in addition to its text. */
const LINE_SIZE = 150;
const VALUE_LIMIT = 512 * 1024;
const VALUES_LIMIT = 8 * 1024 * 1024;

export interface ReadRun {
  run: RunData;
  /** What the report leaves out, one line each. */
  left: string[];
}

/** Where the parts of a run are read from: a data directory or a server. */
export interface RunSource {
  row: { execution_id: string; name: string; file?: string };
  plan: Plan;
  frames: AsyncIterable<{ events: readonly Event[] }>;
  logs: AsyncIterable<LogEntry>;
  /** The text of the document, if it was kept. */
  document(): Promise<string | undefined>;
  /** The text of a stored value. */
  text(reference: Reference): Promise<string>;
  children: RunData['children'];
}

/** The run is larger than a page can be. */
export class RunTooLarge extends Error {
  constructor(executionId: string) {
    super(`run ${executionId} has more than ${EVENTS_LIMIT} events, too many for a page that replays them`);
  }
}

export async function readRun(source: RunSource): Promise<ReadRun> {
  const { row, plan, children } = source;
  const events = await eventsOf(source);
  const logs = await logsOf(source);
  const state = events.reduce(evolve, emptyState(row.execution_id, plan));
  const values = await valuesOf(state, (reference) => source.text(reference));
  const document = await source.document();
  return {
    run: {
      execution_id: row.execution_id,
      name: row.name,
      ...(row.file === undefined ? {} : { file: basename(row.file) }),
      plan,
      events,
      logs: logs.kept,
      values: values.kept,
      children: children.map(({ execution_id, name, status }) => ({ execution_id, name, status })),
      ...(document === undefined ? {} : { document }),
    },
    left: [...logs.left, ...values.left],
  };
}

async function eventsOf({ row, frames }: RunSource): Promise<Event[]> {
  const events: Event[] = [];
  for await (const frame of frames) {
    for (const event of frame.events) events.push(withoutFolder(event));
    if (events.length > EVENTS_LIMIT) throw new RunTooLarge(row.execution_id);
  }
  return events;
}

/** The reader of a report need not know where its author keeps files. */
function withoutFolder(event: Event): Event {
  if (event.name !== 'playbook.execution.requested') return event;
  const { file, document } = (event.data.source ?? {}) as { file?: string; document?: string };
  if (file === undefined) return event;
  const shown = { file: basename(file), ...(document === undefined ? {} : { document }) };
  return { ...event, data: { ...event.data, source: shown } };
}

async function logsOf({ row, logs }: RunSource): Promise<{ kept: LogEntry[]; left: string[] }> {
  const kept: LogEntry[] = [];
  let size = 0;
  for await (const { at, step, stream, text } of logs) {
    size += text.length + LINE_SIZE;
    if (size > LOG_LIMIT) {
      return {
        kept,
        left: [
          `output after the first ${LOG_LIMIT >> 20} MB (woof logs ${row.execution_id} shows all of it)`,
        ],
      };
    }
    kept.push({ at, step, stream, text });
  }
  return { kept, left: [] };
}

/** Stored values in the results of steps and of the run. */
async function valuesOf(state: State, text: (reference: Reference) => Promise<string>) {
  const kept: Record<string, string> = {};
  const left: string[] = [];
  let size = 0;
  for (const reference of new Map(references(state)).values()) {
    size += reference.size;
    if (reference.size > VALUE_LIMIT || size > VALUES_LIMIT)
      left.push(`a value of ${reference.size} bytes (${reference.key})`);
    else kept[reference.checksum] = await text(reference);
  }
  return { kept, left };
}

function* references(state: State): Generator<[string, Reference]> {
  const roots = [...[...state.steps.values()].map(({ result }) => result), state.result, state.ctx];
  for (const root of roots) if (root !== undefined) yield* inside(root);
}

function* inside(value: Json): Generator<[string, Reference]> {
  if (value === null || typeof value !== 'object') return;
  const parts = isReference(value) ? listParts(value) : undefined;
  if (parts) yield* inside(parts);
  else if (isReference(value)) yield [value.checksum, value];
  else for (const item of Object.values(value)) yield* inside(item as Json);
}
