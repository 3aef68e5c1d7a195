import type { AnswerOf } from '@woof/protocol/http';
import { HOME_OPTIONS } from '../home-flags.ts';
import { connect } from '../remote/connect.ts';
import { duration, harmless, painter, table } from '../terminal.ts';
import { columnsOn } from '../text-width.ts';
import { UserError } from '../user-error.ts';
import { defineVerb, JSON_FLAG } from '../verb.ts';

type Worker = AnswerOf<'workers.list'>['workers'][number];

export const verb = defineVerb({
  args: ['[ACTION]', '[NAME]'],
  options: {
    all: { doc: 'also list workers that are gone' },
    json: JSON_FLAG,
    ...HOME_OPTIONS,
  },
  about:
    'Without ACTION, Woof lists them. drain NAME lets a worker finish its jobs and gives it no new ones; then woof worker exits, and the worker inside woof up stays idle. resume NAME lets a worker that has not exited take jobs again. NAME is a name from the list, or the beginning of one.',
  examples: [
    ['woof workers', 'list the version, slots, running jobs and last heartbeat of each'],
    ['woof workers list --json', 'the same as JSON'],
    ['woof workers drain build-7', 'drain a worker before you update or stop its machine'],
    ['woof workers resume build-7', 'let a drained worker take jobs again'],
  ],
  async run([action = 'list', name], flags) {
    if (action !== 'list' && action !== 'drain' && action !== 'resume')
      throw new UserError(`woof workers has no action "${action}"`, USAGE, 2);
    if (action === 'list' && name !== undefined)
      throw new UserError(`unexpected argument "${name}"`, USAGE, 2);
    if (action !== 'list' && name === undefined) throw new UserError('which worker?', USAGE, 2);
    const client = connect(flags);
    const { workers, now } = await client.call('workers.list');
    const shown = workers.filter(({ alive }) => alive || flags.all);
    if (name === undefined || action === 'list') return list(shown, now, flags.json);
    const { id } = theOne(name, workers);
    const changed = await client.call(`workers.${action}`, { params: { id } });
    if (flags.json) console.log(JSON.stringify(changed));
    else console.error(`${harmless(id)} ${DONE[action]}`);
    return 0;
  },
});

const DONE = {
  drain:
    'finishes its jobs and takes no new ones; see: woof workers\n  A drained woof worker exits. To use the worker inside woof up again: woof workers resume NAME',
  resume: 'takes jobs again',
};

const USAGE = 'woof workers, woof workers drain NAME, or woof workers resume NAME';

function list(workers: readonly Worker[], now: number, json: true | undefined): number {
  if (json) console.log(JSON.stringify(workers.map((worker) => accountOf(worker, now))));
  else if (workers.length === 0) console.error('no workers; start one with: woof worker --server URL');
  else
    process.stdout.write(
      table([HEAD, ...workers.map((worker) => rowOf(worker, now))], columnsOn(process.stdout)),
    );
  return 0;
}

const HEAD = ['NAME', 'VERSION', 'RUNNING', 'HEARTBEAT', 'STATE'];

function accountOf({ id, alive, since, seen_at, draining, info }: Worker, now: number) {
  const { version, slots, labels, kinds, jobs } = info;
  return {
    name: id,
    alive,
    draining,
    version,
    slots,
    running: Array.isArray(jobs) ? jobs.length : 0,
    since,
    seen_at,
    silent_ms: Math.max(0, now - seen_at),
    labels,
    kinds,
  };
}

function rowOf(worker: Worker, now: number): string[] {
  const { name, version, running, slots, silent_ms, alive, draining } = accountOf(worker, now);
  const paint = painter(process.stdout);
  const state = alive ? (draining ? paint('draining', 'yellow') : 'ready') : paint('gone', 'dim');
  const shown = [name, String(version), `${running} of ${slots}`].map((text) => harmless(text));
  return [...shown, `${duration(silent_ms)} ago`, state];
}

/** The name itself, else the only one that begins with it. */
function theOne(name: string, workers: readonly Worker[]): Worker {
  const alive = workers.filter((worker) => worker.alive);
  const found = alive.filter(({ id }) => id === name);
  const meant = found.length > 0 ? found : alive.filter(({ id }) => id.startsWith(name));
  if (meant.length === 1) return meant[0]!;
  const names = (meant.length > 0 ? meant : alive).map(({ id }) => harmless(id)).join(', ');
  if (meant.length > 1)
    throw new UserError(`"${name}" begins ${meant.length} names`, `choose one of: ${names}`, 2);
  const fix = names === '' ? 'start one with: woof worker --server URL' : `there are: ${names}`;
  throw new UserError(`there is no worker "${harmless(name)}"`, fix, 2);
}
