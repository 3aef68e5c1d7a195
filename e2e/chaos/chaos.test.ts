/**
 * Two servers, four workers and Postgres, all real processes. First comes a burst in which nothing dies, so no job may
 * expire. Then one of them is killed with kill -9 every second, now and then the database too. Afterwards every
 * execution has ended correctly, and the service that they called has counted their effects.
 *
 * CI runs the short form; `npm run chaos` runs all of it.
 */
import { join } from 'node:path';
import { Client, followEvents } from '@woof/client';
import type { Envelope } from '@woof/net';
import { describeUnless, type PostgresServer, postgresReason, startPostgres } from '@woof/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { type EffectServer, startEffectServer } from '../cli/effect-server.ts';
import { type Running, temporaryFolder, until } from '../cli/woof.ts';
import { expiredJobs, logsOf } from '../server/load.ts';
import { startServer, startWorker } from '../server/machines.ts';
import { checkEffects, checkLog } from './check-log.ts';

const SECONDS = Number(process.env.WOOF_CHAOS_SECONDS ?? 8);
const EXECUTIONS = Number(process.env.WOOF_CHAOS_EXECUTIONS ?? 30);
/** At each server, before the killing begins. */
const QUIET_EXECUTIONS = 5;
const WORKERS = 4;
const ITEMS = 4;

/** A loop of effects, a call that fails twice, two pages, and Python that adds up. */
const document = (url: string) => `apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: chaos, path: chaos}
workload: {id: none}
workflow:
  - step: start
    loop: {in: "{{ range(${ITEMS}) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 2}}
    tool:
      - call: {kind: http, url: "${url}/count/{{ workload.id }}-{{ n }}"}
    next: {arcs: [{step: flaky}]}
  - step: flaky
    tool:
      - call:
          kind: http
          url: "${url}/flaky/{{ workload.id }}?n=2"
          spec:
            policy:
              rules:
                - {when: "{{ outcome.status == 'error' }}", then: {do: retry, attempts: 20, delay: 0.05}}
                - else: {then: {do: continue}}
    next: {arcs: [{step: pages}]}
  - step: pages
    tool:
      - page:
          kind: http
          url: "${url}/orders/{{ workload.id }}?page={{ vars.page | default(1) }}"
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'ok' and outcome.result.data.has_more }}"
                  then:
                    do: jump
                    to: page
                    set_vars: {page: "{{ (vars.page | default(1)) + 1 }}", sum: "{{ outcome.result.data.orders[0].amount }}"}
                - else: {then: {do: continue, set_vars: {last: "{{ outcome.result.data.orders[0].amount }}"}}}
      - total: {kind: noop, result: "{{ vars.sum + vars.last }}"}
    next: {arcs: [{step: add}]}
  - step: add
    tool: {kind: python, args: {total: "{{ pages }}"}, code: "result = total + 12"}
`;

interface Machine {
  name: string;
  running: Running;
  start(): Promise<Running>;
}

describeUnless(postgresReason())('chaos', () => {
  test(`${EXECUTIONS} executions, one kill -9 per second for ${SECONDS} s`, async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.dispose());
    const effects = await startEffectServer();
    const cwd = temporaryFolder();
    const { machines, clients } = await bootAll(cwd, postgres);
    await patiently(() => clients[0]!.call('documents.register', { body: { text: document(effects.url) } }));

    await quietBurst(clients, effects);
    const kills = { count: 0, over: false };
    const killing = killOneASecond(machines, postgres, kills);
    const ids = await submitAll(clients);
    await killing;

    for (const [index, id] of ids.entries()) {
      const events = await eventsOf(clients, id);
      const { status } = await patiently(() => clients[0]!.call('executions.row', { params: { id } }));
      expect(status, `execution ${index}`).toBe('succeeded');
      checkLog(events);
      checkSum(events);
      checkEffects(effects, { id: `x${index}`, items: ITEMS }, events);
    }
    expect(kills.count).toBeGreaterThanOrEqual(SECONDS - 2);
  });
});

async function bootAll(cwd: string, postgres: PostgresServer) {
  const machines: Machine[] = [];
  const clients: Client[] = [];
  const add = async (name: string, start: () => Promise<Running>) => {
    machines.push({ name, start, running: await start() });
  };
  // The first server makes it; the second finds it in the store.
  let token = '';
  for (const name of ['first', 'second']) {
    const options = { data: join(cwd, name), more: ['--store', postgres.url(), '--rate', '100000'] };
    const server = await startServer(cwd, options);
    token ||= server.token;
    const who = { url: server.url, token };
    const port = Number(new URL(server.url).port);
    machines.push({ name, running: server, start: () => startServer(cwd, { ...options, port }) });
    clients.push(new Client(who));
    for (let index = 0; index < WORKERS / 2; index++) {
      await add(`${name} worker ${index}`, () =>
        startWorker(who, cwd, '--slots', '4', '--data', join(cwd, `${name}-${index}`)),
      );
    }
  }
  return { machines, clients };
}

/** What both servers and all workers do while nothing dies: every effect once, and no lease expires. */
async function quietBurst(clients: readonly Client[], effects: EffectServer): Promise<void> {
  const bursts = clients.map(async (client, server) => {
    const names = Array.from({ length: QUIET_EXECUTIONS }, (_, index) => `quiet${server}-${index}`);
    const started = await Promise.all(
      names.map((id) => client.call('executions.start', { body: { path: 'chaos', payload: { id } } })),
    );
    const logs = await logsOf(
      client,
      started.map(({ execution_id }) => execution_id),
    );
    expect(expiredJobs(logs)).toEqual([]);
    for (const [index, events] of logs.entries()) {
      checkLog(events);
      checkSum(events);
      for (let n = 0; n < ITEMS; n++) expect(effects.count(`/count/${names[index]}-${n}`)).toBe(1);
    }
  });
  await Promise.all(bursts);
}

/** Like a supervisor, restarts what died. */
async function killOneASecond(
  machines: readonly Machine[],
  postgres: PostgresServer,
  kills: { count: number },
): Promise<void> {
  for (let second = 0; second < SECONDS; second++) {
    await pause(1000);
    if (second % 10 === 5) {
      await postgres.kill();
      await postgres.start();
    }
    // Each of them in turn, in an order that looks random.
    const machine = machines[(second * 5 + 2) % machines.length]!;
    machine.running.child.kill('SIGKILL');
    await machine.running.ended;
    kills.count += 1;
    machine.running = await patiently(() => machine.start());
  }
}

/** With an idempotency key, repeated until a server accepts it: it starts once. */
async function submitAll(clients: readonly Client[]): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < EXECUTIONS; index++) {
    const client = clients[index % clients.length]!;
    const body = { path: 'chaos', payload: { id: `x${index}` } };
    const headers = { 'idempotency-key': `chaos-${index}` };
    const started = await patiently(() => client.call('executions.start', { body, headers }));
    ids.push(started.execution_id);
    await pause((SECONDS * 700) / EXECUTIONS);
  }
  expect(new Set(ids).size).toBe(EXECUTIONS);
  return ids;
}

async function eventsOf(clients: readonly Client[], id: string): Promise<Envelope[]> {
  return patiently(async () => {
    const events: Envelope[] = [];
    for await (const event of followEvents(clients[0]!, id)) events.push(event);
    return events;
  });
}

/** The sum of the pages, and 12. */
function checkSum(events: readonly Envelope[]): void {
  const add = events.find(({ name, step }) => name === 'step.done' && step === 'add');
  expect(add!.data.result).toBe(42);
}

async function patiently<T>(call: () => Promise<T>): Promise<T> {
  let result: { value: T } | undefined;
  await until('it answers', async () => {
    try {
      result = { value: await call() };
      return true;
    } catch {
      return false;
    }
  });
  return result!.value;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
