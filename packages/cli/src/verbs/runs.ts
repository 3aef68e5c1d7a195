import { type ExecutionStatus, encodeJson } from '@woof/net';
import type { ExecutionRow, ListFilter, ReadStore } from '@woof/stores';
import { readRows } from '../damaged-log.ts';
import type { Home } from '../home.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { openHome } from '../open-home.ts';
import { duration, glyph, harmless, oneLine, painter, shorten, statusWord, table } from '../terminal.ts';
import { columnsOn } from '../text-width.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';

/** The limit of one page of a server. */
const MOST_LISTED = 1000;
const STATUSES = ['running', 'paused', 'needs_human', 'succeeded', 'failed', 'cancelled'] as const;

export const verb = defineVerb({
  args: [],
  options: {
    status: { doc: `only runs with one of these statuses: ${STATUSES.join(', ')}`, value: 'STATUS,...' },
    since: {
      doc: 'only runs that started within this time (90m, 12h, 7d) or after this date',
      value: 'TIME',
    },
    query: { doc: 'only runs with this text in name, path, file, id or error', value: 'TEXT', short: 'q' },
    limit: { doc: 'list at most N runs (default: 20)', value: 'N' },
    all: { doc: 'also list nested runs' },
    json: { doc: 'print a JSON list' },
    ...HOME_OPTIONS,
  },
  examples: [
    ['woof runs', 'list the last 20 runs'],
    ['woof runs --status failed --limit 5', 'list the last five failed runs'],
    ['woof runs -q timeout --since 7d', 'list the runs of the last week that mention a timeout'],
  ],
  async run(_args, flags) {
    const limit = limitOf(flags.limit);
    const filter: ListFilter = {
      ...(flags.all ? {} : { roots: true }),
      ...statusOf(flags.status),
      ...(flags.since === undefined ? {} : { since: sinceOf(flags.since, Date.now()) }),
      ...(flags.query === undefined ? {} : { q: flags.query }),
    };
    const home = await openHome(flags);
    const rows = await readRows(home.name, () => newest(home.store, filter, limit));
    if (flags.json) console.log(encodeJson(rows));
    else if (rows.length === 0) console.error('no runs');
    else process.stdout.write(await rowsOf(rows, home));
    await home.close();
    return 0;
  },
});

/** Narrower terminals have no room for status words and times before the name. */
const NARROW = 80;

async function rowsOf(rows: readonly ExecutionRow[], home: Home): Promise<string> {
  const columns = columnsOn(process.stdout);
  const cells = await Promise.all(rows.map((row) => rowOf(row, home, columns < NARROW)));
  return table(cells, columns);
}

async function rowOf(row: ExecutionRow, home: Home, isNarrow: boolean): Promise<string[]> {
  const paint = painter(process.stdout);
  const time = new Date(row.started_at).toISOString().slice(0, 19).replace('T', ' ');
  const lasted = row.ended_at === undefined ? '' : duration(row.ended_at - row.started_at);
  const note = (await isInterrupted(row, home))
    ? 'interrupted; continue with woof resume'
    : (row.error ?? '');
  const error = paint(shorten(oneLine(note), 60), 'dim');
  if (isNarrow) return [`${glyph(row.status, paint)} ${row.execution_id}`, harmless(row.name), error];
  const status = `${glyph(row.status, paint)} ${statusWord(row.status, paint)}`;
  return [row.execution_id, status, time, lasted, harmless(row.name), error];
}

async function isInterrupted(row: ExecutionRow, home: Home): Promise<boolean> {
  return row.status === 'running' && !(await home.isDriven(row.execution_id));
}

function limitOf(text = '20'): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new UserError(`--limit ${text}: expected a whole number above 0`, 'for example --limit 5', 2);
}

/** A page may contain fewer rows than requested. */
async function newest(store: ReadStore, filter: ListFilter, limit: number): Promise<ExecutionRow[]> {
  const rows: ExecutionRow[] = [];
  let cursor = {};
  while (rows.length < limit) {
    const page = await store.list({
      ...filter,
      ...cursor,
      limit: Math.min(MOST_LISTED, limit - rows.length),
    });
    rows.push(...page.executions);
    if (page.next === undefined) break;
    cursor = { before: page.next };
  }
  return rows;
}

function statusOf(text: string | undefined): { status?: ExecutionStatus[] } {
  if (text === undefined) return {};
  const status = text.split(',').map((word) => {
    const known = STATUSES.find((each) => each === word);
    if (known) return known;
    throw new UserError(`--status ${word}: unknown status`, `use one of ${STATUSES.join(', ')}`, 2);
  });
  return { status };
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function sinceOf(text: string, now: number): number {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * UNITS[unit]!;
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  const fix = 'for example 90m, 12h, 7d, 2026-01-31 or 2026-01-31T09:00:00Z';
  throw new UserError(`--since ${text}: expected a length of time or a date`, fix, 2);
}
