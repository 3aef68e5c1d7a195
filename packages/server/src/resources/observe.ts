/**
 * What a server is doing and waiting for: metrics, limits, the queue.
 *
 * Calls: packages/protocol/src/http/observe.ts.
 */
import { needsOf, suits } from '@woof/engine';
import { isLocalDriver, type MemberRow } from '@woof/stores';
import type { Handlers } from '../handler.ts';
import type { Parts } from '../parts.ts';

const MOST_SHOWN = 1000;

const OTHERS_FIRST = 'its run kept the server busy for long, so it lets others go first for a moment';

type Observe = Handlers<'server'> & Handlers<'metrics'> & Handlers<'limits'> & Handlers<'queue'>;

export function observe(parts: Parts): Observe {
  return {
    'server.get': () => own(parts),
    'server.stop': () => {
      parts.log.info('asked to stop');
      parts.onStopAsked();
      return { id: parts.serverId, pid: process.pid };
    },
    'metrics.get': async ({ reply }) => {
      const text = await parts.metrics.text();
      await reply.type('text/plain; version=0.0.4; charset=utf-8').send(text);
      return undefined;
    },
    'limits.get': () => limits(parts),
    'queue.get': () => queue(parts),
  };
}

async function own(parts: Parts) {
  const { serverId, version, storeKind, startedAt, now, store, engine, work, isDriving } = parts;
  const running = await store.executions({ status: 'running', roots: true, limit: MOST_SHOWN });
  const interrupted = running.filter(({ driver }) => isLocalDriver(driver) && !isDriving(driver));
  const draining = await work.draining();
  const workers = (await store.members('worker')).filter(({ alive }) => alive);
  let waiting_jobs = 0;
  for (const { state } of engine.waiting()) waiting_jobs += state.ready.size;
  return {
    id: serverId,
    pid: process.pid,
    version,
    store: storeKind,
    started_at: startedAt,
    uptime_ms: now() - startedAt,
    running: running.length - interrupted.length,
    interrupted: interrupted.length,
    waiting_jobs,
    workers: workers.length,
    draining: workers.filter(({ id }) => draining.has(id)).length,
  };
}

async function limits({ store, work }: Parts) {
  const found = new Map<string, { held: Held[]; waiting: Waiting[] }>();
  const of = (key: string) => {
    const known = found.get(key) ?? { held: [], waiting: [] };
    found.set(key, known);
    return known;
  };
  for (const { key, holder, member, since } of await store.permits.held())
    of(key).held.push({ holder, worker: member, since });
  for (const { key, ...waiting } of work.waiters()) of(key).waiting.push(waiting);
  return { limits: [...found].map(([key, one]) => ({ key, ...one })) };
}

type Held = { holder: string; worker: string; since: number };
type Waiting = { holder: string; worker: string; asked_at: number };

async function queue({ engine, store, work }: Parts) {
  const draining = await work.draining();
  const workers = (await store.members('worker')).filter(({ id, alive }) => alive && !draining.has(id));
  const waiting = [];
  let jobs = 0;
  for (const execution of engine.waiting()) {
    const { state, unplacedSince } = execution;
    const isPutOff = engine.letsOthersGoFirst(execution);
    jobs += state.ready.size;
    for (const job_id of state.ready) {
      if (waiting.length >= MOST_SHOWN) break;
      const { step } = state.jobs.get(job_id)!;
      const needs = needsOf(state.plan.steps.find(({ name }) => name === step)!, state.plan);
      const since = unplacedSince === undefined ? {} : { since: unplacedSince };
      const wants = { labels: { ...needs.labels }, kinds: [...needs.kinds] };
      const { execution_id, priority } = state;
      waiting.push({
        execution_id,
        job_id,
        step,
        priority,
        ...since,
        wants,
        reason: reasonOf(needs, workers, isPutOff),
      });
    }
  }
  return {
    jobs,
    waiting,
    elsewhere: await elsewhere(store, new Set(waiting.map((one) => one.execution_id))),
  };
}

function reasonOf(
  needs: ReturnType<typeof needsOf>,
  workers: readonly MemberRow[],
  isPutOff: boolean,
): string {
  if (workers.length === 0) return 'no worker is connected';
  const able = workers.filter(({ info }) => {
    const { labels = {}, kinds = [] } = info as { labels?: Record<string, string>; kinds?: string[] };
    return suits({ labels, kinds: new Set(kinds) }, needs);
  });
  if (able.length > 0) return isPutOff ? OTHERS_FIRST : `all suitable workers are busy: ${able.length}`;
  const labels = Object.entries(needs.labels).map(([name, value]) => `${name}=${value}`);
  const wanted = [...labels, ...[...needs.kinds].map((kind) => `tool ${kind}`)];
  return `none of the connected workers (${workers.length}) has ${wanted.join(', ')}`;
}

async function elsewhere(store: Parts['store'], here: ReadonlySet<string>) {
  const rows = await store.executions({ wanting: true, status: 'running', limit: MOST_SHOWN });
  return rows
    .filter((row) => !here.has(row.execution_id))
    .map(({ execution_id, driver = null, wants }) => {
      const { labels = {}, kinds = [] } = (wants ?? {}) as {
        labels?: Record<string, string>;
        kinds?: string[];
      };
      return { execution_id, driver, wants: { labels, kinds } };
    });
}
