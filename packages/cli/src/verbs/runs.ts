import { type ExecutionStatus, encodeJson } from '@woof/net';
import type { ExecutionRow } from '@woof/stores';
import { readRows } from '../damaged-log.ts';
import type { Home } from '../home.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { openHome } from '../open-home.ts';
import { duration, glyph, harmless, painter, shorten, statusWord, table } from '../terminal.ts';
import { columnsOn } from '../text-width.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';

const STATUSES = ['running', 'paused', 'needs_human', 'succeeded', 'failed', 'cancelled'] as const;

export const verb = defineVerb({
  args: [],
  options: {
    status: { doc: `only runs with this status: ${STATUSES.join(', ')}`, value: 'STATUS' },
    limit: { doc: 'list at most N runs (default: 20)', value: 'N' },
    all: { doc: 'also list nested runs' },
    json: { doc: 'print a JSON list' },
    ...HOME_OPTIONS,
  },
  examples: [
    ['woof runs', 'list the last 20 runs'],
    ['woof runs --status failed --limit 5', 'list the last five failed runs'],
  ],
  async run(_args, flags) {
    const filter = { limit: limitOf(flags.limit), roots: !flags.all, ...statusOf(flags.status) };
    const home = await openHome(flags);
    const rows = await readRows(home.name, () => home.store.executions(filter));
    if (flags.json) console.log(encodeJson(rows));
    else if (rows.length === 0) console.error('no runs');
    else process.stdout.write(await rowsOf(rows, home));
    await home.close();
    return 0;
  },
});

async function rowsOf(rows: readonly ExecutionRow[], home: Home): Promise<string> {
  return table(await Promise.all(rows.map((row) => rowOf(row, home))), columnsOn(process.stdout));
}

async function rowOf(row: ExecutionRow, home: Home): Promise<string[]> {
  const paint = painter(process.stdout);
  const time = new Date(row.started_at).toISOString().slice(0, 19).replace('T', ' ');
  const lasted = row.ended_at === undefined ? '' : duration(row.ended_at - row.started_at);
  const note = (await isInterrupted(row, home))
    ? 'interrupted; continue with woof resume'
    : (row.error ?? '');
  const error = paint(shorten(harmless(note), 60), 'dim');
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

function statusOf(status: string | undefined): { status?: ExecutionStatus } {
  if (status === undefined) return {};
  const known = STATUSES.find((each) => each === status);
  if (known) return { status: known };
  throw new UserError(`--status ${status}: unknown status`, `use one of ${STATUSES.join(', ')}`, 2);
}
