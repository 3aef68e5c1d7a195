/** A run with all that a report shows of it: bounded, with a word on what was left out. */
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
import type { OpenRun } from './open-run.ts';
import { UserError } from './user-error.ts';

const EVENTS_LIMIT = 300_000;
const LOG_LIMIT = 8 * 1024 * 1024;
const VALUE_LIMIT = 512 * 1024;
const VALUES_LIMIT = 8 * 1024 * 1024;

export interface ReadRun {
  run: RunData;
  /** What the report does not hold, a line each. */
  left: string[];
}

export async function readRunData({ home, row }: OpenRun): Promise<ReadRun> {
  const id = row.execution_id;
  const plan = await home.store.plan(row.plan_hash);
  if (plan === undefined) throw new Error(`the plan of run ${id} is missing`);
  const events = await eventsOf({ home, row });
  const logs = await logsOf({ home, row });
  const state = events.reduce(evolve, emptyState(id, plan as Plan));
  const values = await valuesOf(state, (reference) => home.text(reference));
  const children = await home.store.executions({ parent: id });
  return {
    run: {
      execution_id: id,
      name: row.name,
      ...(row.file === undefined ? {} : { file: basename(row.file) }),
      plan,
      events,
      logs: logs.kept,
      values: values.kept,
      children: children.map(({ execution_id, name, status }) => ({ execution_id, name, status })),
    },
    left: [...logs.left, ...values.left],
  };
}

async function eventsOf({ home, row }: OpenRun): Promise<Event[]> {
  const events: Event[] = [];
  for await (const frame of home.frames(row, false)) {
    for (const event of frame.events) events.push(withoutFolder(event));
    if (events.length > EVENTS_LIMIT) {
      throw new UserError(
        `run ${row.execution_id} has more than ${EVENTS_LIMIT} events, too many for a page that replays them`,
        `read them with: woof events ${row.execution_id} --json`,
      );
    }
  }
  return events;
}

/** Whoever is handed a report need not know where its maker keeps files. */
function withoutFolder(event: Event): Event {
  const source = event.data?.source as { file?: string } | undefined;
  if (event.name !== 'playbook.execution.requested' || source?.file === undefined) return event;
  return { ...event, data: { ...event.data, source: { file: basename(source.file) } } };
}

async function logsOf({ home, row }: OpenRun): Promise<{ kept: LogEntry[]; left: string[] }> {
  const kept: LogEntry[] = [];
  let size = 0;
  for await (const line of home.logs(row, false)) {
    size += line.length;
    if (size > LOG_LIMIT) {
      return {
        kept,
        left: [
          `output after the first ${LOG_LIMIT >> 20} MB (woof logs ${row.execution_id} shows all of it)`,
        ],
      };
    }
    const { at, step, stream, text } = JSON.parse(line) as LogEntry;
    kept.push({ at, step, stream, text });
  }
  return { kept, left: [] };
}

/** Stored values that steps and the run gave. */
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
