import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Client } from '@woof/client';
import { encodeJson } from '@woof/net';
import type { AnswerOf, BodyOf } from '@woof/protocol/http';
import { GRANTS, grantsOf } from '../grants.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { orUnknown } from '../or-unknown.ts';
import { connect } from '../remote/connect.ts';
import { registerDocument } from '../remote/register-document.ts';
import { scheduleLine, timeIn } from '../schedule-line.ts';
import { scheduleRefusal } from '../schedule-refusal.ts';
import { applySets } from '../set-flags.ts';
import { harmless, painter, table } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { defineVerb, type Flags, JSON_FLAG } from '../verb.ts';

type Schedule = AnswerOf<'schedules.get'>;

const OPTIONS = {
  cron: {
    doc: "when to start: minute hour day month weekday, such as '0 6 * * 1-5', or @daily",
    value: 'CRON',
  },
  tz: { doc: 'time zone of the cron expression (default: UTC)', value: 'ZONE' },
  'catch-up': {
    doc: 'start times missed while no server was running: skip, last or all (default: skip)',
    value: 'POLICY',
  },
  overlap: {
    doc: 'if an earlier run is still active: allow, skip, queue or cancel (default: skip)',
    value: 'POLICY',
  },
  payload: {
    doc: 'set a workload value; VALUE is YAML, and a dot in KEY sets a nested value; repeatable',
    value: 'KEY=VALUE',
    many: true,
  },
  name: { doc: 'name of the schedule (default: its path, with dots)', value: 'NAME' },
  since: {
    doc: 'for backfill: the first start time, such as 2026-11-01 or 2026-11-01T06:00Z',
    value: 'TIME',
  },
  until: { doc: 'for backfill: the last start time (default: now)', value: 'TIME' },
  'dry-run': { doc: 'for backfill: only print the start times' },
  replace: { doc: 'replace an existing schedule of that name' },
  allow: GRANTS,
  json: JSON_FLAG,
  ...HOME_OPTIONS,
} as const;

type ScheduleFlags = Flags<typeof OPTIONS>;

const USAGE =
  'woof schedule add PATH --cron CRON, woof schedule list, or woof schedule show|rm|pause|resume|run|backfill NAME';

export const verb = defineVerb({
  args: ['ACTION', '[TARGET]'],
  instead: USAGE,
  options: OPTIONS,
  about:
    'ACTION is add, list, show, rm, pause, resume, run or backfill. For add, TARGET is the path of a registered document, or a file to register. For the other actions, TARGET is the name of a schedule; list takes none.',
  examples: [
    ["woof schedule add sales/orders --cron '0 6 * * 1-5' --tz Europe/Berlin", 'start on weekdays at six'],
    [
      'woof schedule add tidy.yaml --cron @hourly --overlap queue --payload days=7',
      'register a file and start it every hour',
    ],
    ['woof schedule list', 'list all schedules with their next start times'],
    ['woof schedule show sales.orders', 'show the next start times and the latest runs'],
    ['woof schedule run sales.orders', 'start a run now'],
    ['woof schedule pause sales.orders', 'pause until woof schedule resume'],
    ['woof schedule resume sales.orders', 'let a paused schedule start runs again'],
    [
      'woof schedule backfill sales.orders --since 2026-11-01 --dry-run',
      'show the start times that have no run',
    ],
    ['woof schedule rm sales.orders', 'remove the schedule; its runs stay'],
  ],
  async run([action = '', target], flags) {
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (act === undefined) throw new UserError(`woof schedule has no action "${action}"`, USAGE, 2);
    if (target === undefined && action !== 'list')
      throw new UserError(`woof schedule ${action} needs a TARGET`, USAGE, 2);
    const done = act(connect(flags), target ?? '', flags);
    return action === 'add' ? done : orUnknown(done, 'woof schedule list');
  },
});

const ACTIONS: Record<string, (client: Client, target: string, flags: ScheduleFlags) => Promise<number>> = {
  add,
  list: async (client, _, flags) => {
    const schedules = await all(client);
    if (flags.json) console.log(encodeJson(schedules));
    else if (schedules.length === 0) console.error('no schedules');
    else process.stdout.write(table(schedules.map(rowOf)));
    return 0;
  },
  show: async (client, id, flags) =>
    tell(await client.call('schedules.get', { params: { id } }), flags, describe),
  rm: async (client, id, flags) => {
    await client.call('schedules.remove', { params: { id } });
    return tell({ schedule_id: id, ok: true }, flags, () => `schedule ${id} is removed\n`);
  },
  pause: async (client, id, flags) =>
    tell(await client.call('schedules.pause', { params: { id } }), flags, () => `schedule ${id} is paused\n`),
  resume: async (client, id, flags) =>
    tell(await client.call('schedules.resume', { params: { id } }), flags, scheduleLine),
  run: async (client, id, flags) => {
    const run = await client.call('schedules.run', { params: { id } });
    if (run.state === 'failed')
      throw new UserError(`schedule ${id}: ${run.note ?? 'it could not be started'}`);
    return tell(run, flags, ({ execution_id }) => `${execution_id}\n`);
  },
  backfill,
};

async function backfill(client: Client, id: string, flags: ScheduleFlags): Promise<number> {
  if (flags.since === undefined)
    throw new UserError('woof schedule backfill needs --since', 'for example --since 2026-11-01', 2);
  const until = flags.until === undefined ? Date.now() : timeOf('--until', flags.until);
  const body = {
    since: timeOf('--since', flags.since),
    until,
    ...(flags['dry-run'] ? { dry_run: true } : {}),
  };
  const answer = await client.call('schedules.backfill', { params: { id }, body });
  if (!flags.json && (answer.times ?? answer.started)!.length === 0)
    console.error('every start time in this span has a run');
  const line = (time: number, run = '') => `${new Date(time).toISOString()}  ${run}`.trimEnd();
  const lines = answer.times
    ? answer.times.map((time) => line(time))
    : answer.started!.map(({ execution_id, scheduled_at }) => line(scheduled_at, execution_id));
  return tell(answer, flags, () => lines.map((text) => `${text}\n`).join(''));
}

const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})?)?$/;

/** A date means its midnight in UTC; a time without a zone is local to this machine. */
function timeOf(flag: string, text: string): number {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new UserError(`${flag} ${text}: expected a date or time`, `for example ${flag} 2026-11-01T06:00Z`, 2);
}

async function add(client: Client, target: string, flags: ScheduleFlags): Promise<number> {
  const { cron, tz, overlap } = flags;
  if (cron === undefined)
    throw new UserError('woof schedule add needs --cron', "for example --cron '0 6 * * 1-5'", 2);
  const path = await registered(client, target);
  const allow = grantsOf(flags.allow);
  const body = {
    path,
    cron,
    payload: applySets({}, flags.payload ?? [], { flag: '--payload' }),
    ...(tz === undefined ? {} : { timezone: tz }),
    ...(flags['catch-up'] === undefined ? {} : { catch_up: flags['catch-up'] }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(allow ? { allow } : {}),
  } as BodyOf<'schedules.update'>;
  const id = flags.name ?? path.replaceAll('/', '.');
  const isThere = flags.replace && (await all(client)).some((one) => one.schedule_id === id);
  const call = isThere
    ? client.call('schedules.update', { params: { id }, body })
    : client.call('schedules.create', { body: { schedule_id: id, ...body } });
  const schedule = await call.catch((error: unknown) => {
    throw scheduleRefusal(error, id);
  });
  return tell(schedule, flags, scheduleLine);
}

async function all(client: Client): Promise<Schedule[]> {
  const found: Schedule[] = [];
  for (let query: { after?: string } = {}; ; ) {
    const { schedules, next } = await client.call('schedules.list', { query });
    found.push(...schedules);
    if (next === undefined) return found;
    query = { after: next };
  }
}

/** A file is registered at the server first. */
async function registered(client: Client, target: string): Promise<string> {
  if (!existsSync(target)) return target;
  const body = { text: readFileSync(target, 'utf8'), file: basename(target) };
  return (await registerDocument(client, body)).path;
}

function tell<T>(answer: T, flags: ScheduleFlags, text: (answer: T) => string): number {
  process.stdout.write(flags.json ? `${encodeJson(answer)}\n` : text(answer));
  return 0;
}

function rowOf({ schedule_id, paused, cron, timezone, path, next, document }: Schedule): string[] {
  const [first] = next;
  const when = paused ? 'paused' : first === undefined ? 'never' : timeIn(first, timezone);
  return [schedule_id, when, harmless(`${cron} ${timezone}`), path, document ? 'declared' : ''];
}

function describe(schedule: Schedule): string {
  const { schedule_id, cron, timezone, path, catch_up, overlap, paused, next, runs, payload } = schedule;
  const { document } = schedule;
  const paint = painter(process.stdout);
  const head = table([
    ['document', document ? `${path}, which declares it (${document.version.slice(0, 8)})` : path],
    ['when', harmless(`${cron} ${timezone}`)],
    ['policies', `catch-up ${catch_up}, overlap ${overlap}`],
    ['payload', harmless(encodeJson(payload))],
  ]);
  const times = paused ? ['  paused'] : next.map((time) => `  ${timeIn(time, timezone)}`);
  const past = runs.map(({ due_at, execution_id, state, status, manual, note }) => {
    const what = status === undefined || state === 'failed' ? state : status;
    const run = status === undefined ? '' : execution_id;
    return [
      `  ${timeIn(due_at, timezone)}`,
      what,
      run,
      paint(harmless(note ?? (manual ? 'started by hand' : '')), 'dim'),
    ];
  });
  const last = past.length === 0 ? '  none\n' : table(past);
  return `schedule ${schedule_id}\n${head}next\n${times.join('\n')}\nlast\n${last}`;
}
