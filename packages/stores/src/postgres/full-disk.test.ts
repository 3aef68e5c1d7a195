/** The WAL of Postgres itself runs out of space, so Postgres stops. What was acknowledged is there after a restart. */
import { createConnection } from 'node:net';
import { newEvent } from '@woof/net';
import { itUnless, type PostgresServer, postgresReason, smallDiskReason, startPostgres } from '@woof/testkit';
import postgres from 'postgres';
import { expect, onTestFinished } from 'vitest';
import { type Append, type Store, StoreError } from '../store.ts';
import { openPostgres } from './open-postgres.ts';

const event = (at: number) => newEvent('step.done', at, {}, { result: 'x'.repeat(200) });

function appendOf(id: string, seq: number): Append {
  const row = {
    execution_id: id,
    name: 't',
    kind: 'playbook',
    status: 'running',
    started_at: 1,
    plan_hash: 'h',
  } as const;
  return { execution_id: id, expected: seq, events: [event(seq)], ...(seq === 0 ? { row } : {}) };
}

async function timesOf(store: Store, id: string): Promise<number[]> {
  const times: number[] = [];
  for await (const { events } of store.read(id)) times.push(...events.map(({ at }) => at));
  return times;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket.destroy() !== undefined)).once('error', () => resolve(false));
  });
}

/** Makes it start one WAL file after another until there is no room for the next. */
async function crashOnItsLog(server: PostgresServer): Promise<void> {
  const admin = postgres(server.url(), { max: 1, onnotice: () => {} });
  await admin.unsafe('SELECT 1');
  server.disk!.fill();
  const next = `SELECT pg_switch_wal(); SELECT pg_logical_emit_message(true, 'woof', repeat('x', 10000))`;
  await until(async () => {
    await admin.unsafe(next).catch(() => {});
    return !(await answers(server.port));
  });
  await admin.end({ timeout: 0 }).catch(() => {});
}

itUnless(postgresReason() ?? smallDiskReason())('a log without room loses nothing', async () => {
  // No checkpoint by size: it would recycle used WAL files, and the log would need no more room.
  const settings = {
    autovacuum: 'off',
    restart_after_crash: 'off',
    min_wal_size: '2MB',
    max_wal_size: '1GB',
  };
  const server = await startPostgres({ diskMegabytes: 96, logFileMegabytes: 1, settings });
  onTestFinished(() => server.dispose());
  const { store, close } = await openPostgres(server.url(), { connections: 2 });
  onTestFinished(close);
  for (let seq = 0; seq < 50; seq++) expect(await store.append([appendOf('a', seq)])).toEqual([]);

  await crashOnItsLog(server);
  const refused = await store.append([appendOf('a', 50)]).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StoreError);

  server.disk!.free();
  await server.start();
  await until(async () => {
    const taken = await store.append([appendOf('b', 0)]).catch(() => undefined);
    return taken !== undefined;
  });
  const times = await timesOf(store, 'a');
  expect(times.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, seq) => seq));
  expect(await timesOf(store, 'b')).toEqual([0]);
});
