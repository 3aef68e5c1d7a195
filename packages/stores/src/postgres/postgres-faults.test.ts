/** What happens to a store when its database crashes, is silent, is full of other clients, or is shared. */
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { type Event, newEvent } from '@woof/net';
import { describeUnless, type PostgresServer, postgresReason, startPostgres } from '@woof/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Append, type SharedStore, type Store, StoreError } from '../store.ts';
import { MIGRATIONS } from './migrations.ts';
import { type OpenPostgres, openPostgres, type PoolOptions } from './open-postgres.ts';
import { explained } from './postgres-fault.ts';

const HOUR = 3_600_000;
const row = (id: string, more = {}) => ({
  execution_id: id,
  name: 'test',
  kind: 'playbook',
  status: 'running' as const,
  started_at: 1,
  plan_hash: 'h',
  ...more,
});
const event = (at: number) => newEvent('step.done', at, {}, { result: 'x'.repeat(200) });
const first = (id: string, more = {}): Append => ({
  execution_id: id,
  expected: 0,
  events: [event(0)],
  row: row(id, more),
});

/** The events of an execution; throws if frames overlap or leave a gap. */
async function eventsOf(store: Store, id: string): Promise<Event[]> {
  const events: Event[] = [];
  for await (const frame of store.read(id)) {
    expect(frame.from).toBe(events.length);
    events.push(...frame.events);
  }
  return events;
}

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof StoreError) return error.fault;
      throw error;
    },
  );

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function untilItWorks<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

describe('what an error means', () => {
  const error = (code: string) => Object.assign(new Error('words of the driver'), { code });
  it.each([
    ['53100', 'disk_full', /full.*Free some space/],
    ['53300', 'unavailable', /too many connections.*max_connections/],
    ['25006', 'unavailable', /read-only.*primary/],
    ['28P01', 'unavailable', /password/],
    ['3D000', 'unavailable', /createdb/],
    ['57P01', 'unavailable', /stopping or starting/],
    ['08006', 'unavailable', /not reachable/],
    ['57014', 'unavailable', /did not answer in time/],
    ['42501', 'unavailable', /grant/],
    ['ECONNREFUSED', 'unavailable', /host:1\/db is not reachable \(words of the driver\)/],
    ['40P01', 'busy', /Try again/],
  ])('%s', (code, fault, words) => {
    const meant = explained(error(code), 'host:1/db') as StoreError;
    expect(meant).toBeInstanceOf(StoreError);
    expect(meant.fault).toBe(fault);
    expect(meant.message).toMatch(words);
  });

  it('leaves a mistake in a statement unchanged', () => {
    const mistake = error('42601');
    expect(explained(mistake, 'p')).toBe(mistake);
  });
});

describeUnless(postgresReason())('postgres: faults', () => {
  let server: PostgresServer;
  let admin: ReturnType<typeof postgres>;
  let url: string;
  let count = 0;
  const opened: OpenPostgres[] = [];
  const open = async (options?: PoolOptions): Promise<SharedStore> => {
    opened.push(await openPostgres(url, options));
    return opened.at(-1)!.store;
  };

  beforeAll(async () => {
    server = await startPostgres({ settings: { max_connections: 40, log_connections: 'on' } });
    admin = postgres(server.url(), { max: 1, onnotice: () => {}, backoff: 0.1 as unknown as boolean });
  });
  beforeEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
    const name = `test_${++count}`;
    await untilAnswered(() => admin.unsafe(`CREATE DATABASE ${name}`));
    url = server.url(name);
  });
  afterAll(async () => {
    await Promise.all(opened.map((one) => one.close()));
    await admin.end({ timeout: 1 });
    await server.dispose();
  });

  async function untilAnswered(work: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        return void (await work());
      } catch (error) {
        if ((error as { code?: string }).code === '42P04') return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /** Appends to its own executions until told to stop, and remembers what was acknowledged. */
  function writer(store: Store, name: string) {
    const acknowledged = new Map<string, number>();
    let isStopped = false;
    const work = async (id: string) => {
      let length = 0;
      for (let turn = 1; !isStopped; turn++) {
        const events = [event(turn), event(turn)];
        try {
          const refused = await store.append([
            { execution_id: id, expected: length, events, ...(length === 0 ? { row: row(id) } : {}) },
          ]);
          // An append without an answer may have been accepted: then this one is refused and says so.
          length = refused[0]?.actual ?? length + 2;
          acknowledged.set(id, length);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    };
    const done = Promise.all(Array.from({ length: 6 }, (_, index) => work(`${name}-${index}`)));
    const stop = async () => {
      isStopped = true;
      await done;
    };
    return { acknowledged, stop, total: () => [...acknowledged.values()].reduce((a, b) => a + b, 0) };
  }

  it.each([
    ['killed', (one: PostgresServer) => one.kill()],
    ['stopped at once', (one: PostgresServer) => one.stop('immediate')],
    ['stopped by an administrator', (one: PostgresServer) => one.stop('fast')],
  ])('a server that is %s while frames come loses nothing that was acknowledged', async (_, down) => {
    const connections = 6;
    const store = await open({ connections });
    const writing = writer(store, 'w');
    await until(() => writing.total() > 60);
    const connected = () => server.log.split('connection received').length;
    const [tried, since] = [connected(), Date.now()];
    await down(server);
    const before = writing.total();
    expect(await faultOf(store.append([first('while-down')]))).toBe('unavailable');
    await server.start();
    await until(() => writing.total() > before + 60);
    await writing.stop();
    // Each connection is tried four times per second; another one asks whether the server accepts any.
    const seconds = (Date.now() - since) / 1000;
    expect(connected() - tried).toBeLessThan((connections + 1) * 4 * (seconds + 2));
    for (const [id, length] of writing.acknowledged) {
      const events = await eventsOf(store, id);
      expect(events.length).toBeGreaterThanOrEqual(length);
      // Whole frames of two events, and none twice: an event says in which turn it was made.
      const turns = events.map(({ at }) => at);
      expect(events.length % 2).toBe(0);
      expect(new Set(turns).size).toBe(turns.length / 2);
    }
  });

  it('continues after a single backend was killed', async () => {
    const store = await open();
    await store.append([first('a')]);
    const [backend] = await admin`SELECT pid FROM pg_stat_activity WHERE application_name = 'woof' LIMIT 1`;
    process.kill(backend!.pid as number, 'SIGKILL');
    await untilItWorks(() => store.append([first('b')]));
    expect(await eventsOf(store, 'a')).toHaveLength(1);
    expect(await eventsOf(store, 'b')).toHaveLength(1);
  });

  it('does not hang on a server that is silent, and works when it speaks again', async () => {
    const store = await open({ statementMs: 300, connectMs: 1000, graceMs: 200 });
    await store.append([first('a')]);
    const backends = await admin`SELECT pid FROM pg_stat_activity WHERE application_name = 'woof'`;
    const pids = [server.pid, ...backends.map(({ pid }) => pid as number)];
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      expect(await faultOf(store.execution('a'))).toBe('unavailable');
      expect(await faultOf(store.takeDue('s1', 1))).toBe('unavailable');
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    expect((await untilItWorks(() => store.execution('a')))?.name).toBe('test');
  });

  /** A store whose connection to the database can be cut while its commit of a change to `table` waits. */
  async function cutWhileCommitting(table: string, work: (store: SharedStore) => Promise<unknown>) {
    const way = await wayTo(server.port);
    const direct = url;
    url = url.replace(`:${server.port}/`, `:${way.port}/`);
    const store = await open();
    await store.beat({ id: 's1', kind: 'server', info: {} }, HOUR);
    await store.append(['a', 'b', 'c'].map((id) => first(id)));
    const database = postgres(direct, { max: 1 });
    await database.unsafe(`CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END'`);
    await database`SELECT pg_advisory_lock(1)`;
    await database.unsafe(`CREATE CONSTRAINT TRIGGER held AFTER INSERT OR UPDATE ON ${table}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION held()`);
    const waits = async () =>
      (await database`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory'`).length > 0;
    const answer = faultOf(work(store));
    await until(waits);
    way.cut();
    expect(await answer).toBe('unavailable');
    await database`SELECT pg_advisory_unlock(1)`;
    await until(async () => !(await waits()));
    await database.unsafe(`DROP TRIGGER held ON ${table}`);
    await database.end();
    return store;
  }

  it('rejects an append whose answer is lost, although it was accepted', async () => {
    const append = { execution_id: 'a', expected: 1, events: [event(1)] };
    const store = await cutWhileCommitting('woof.frames', (cut) => cut.append([append]));
    expect(await eventsOf(store, 'a')).toHaveLength(2);
    expect(await store.append([append])).toEqual([{ execution_id: 'a', actual: 2 }]);
  });

  it('returns again what a lost answer contained', async () => {
    const store = await cutWhileCommitting('woof.executions', (cut) => cut.takeDue('s1', 1));
    expect((await store.execution('a'))?.driver).toBe('s1');
    expect(await store.takeDue('s1', 1)).toEqual(['a']);
    expect(await store.takeDue('s1', 5)).toEqual(['b', 'c']);
    expect(await store.takeDue('s1', 5)).toEqual([]);
  });

  it('hears again after the server restarted', async () => {
    const store = await open();
    const heard: unknown[] = [];
    await store.listen('s1', (message) => heard.push(message));
    await server.stop('immediate');
    await server.start();
    await until(async () => {
      await store.tell('s1', { n: 1 }).catch(() => {});
      return heard.length > 0;
    });
    expect(heard[0]).toEqual({ n: 1 });
  });

  it('says which door is closed: no server, no database, wrong password, too many connections', async () => {
    const messageOf = (address: string, options?: PoolOptions) =>
      openPostgres(address, options).then(
        () => 'opened',
        (error: unknown) =>
          error instanceof StoreError ? `${error.fault}: ${error.message}` : String(error),
      );
    const secret = new URL(url).password;
    const answers = {
      server: await messageOf(url.replace(/:\d+\//, ':1/')),
      database: await messageOf(server.url('nowhere')),
      password: await messageOf(url.replace(secret, 'wrong')),
      host: await messageOf('postgres://user@host.invalid/db'),
    };
    expect(answers.server).toMatch(/^unavailable: Postgres at 127.0.0.1:1\/test_\d+ is not reachable/);
    expect(answers.database).toMatch(/^unavailable: .*createdb/);
    expect(answers.password).toMatch(/^unavailable: .*user and password/);
    expect(answers.host).toMatch(/^unavailable: Postgres at host.invalid:5432\/db is not reachable/);
    for (const answer of Object.values(answers)) expect(answer).not.toContain(secret);

    const others = Array.from({ length: 45 }, () => postgres(server.url(), { max: 1, onnotice: () => {} }));
    await Promise.allSettled(others.map((other) => other`SELECT 1`));
    expect(await messageOf(url)).toMatch(/^unavailable: .*(too many connections)/);
    await Promise.all(others.map((other) => other.end({ timeout: 0 })));
  });

  it('says when it may only read, and continues when it may write', async () => {
    const store = await open();
    const name = new URL(url).pathname.slice(1);
    const cut = () =>
      admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name} AND pid <> pg_backend_pid()`;
    await admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await cut();
    const refusal = untilItWorks(() => store.execution('a')).then(() => store.append([first('a')]));
    await expect(refusal).rejects.toThrow(/read-only.*Point the address at the primary/);
    await admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = off`);
    await cut();
    expect(await untilItWorks(() => store.append([first('b')]))).toEqual([]);
  });

  it('lets one win each position when several stores append to the same executions', async () => {
    const stores = await Promise.all(Array.from({ length: 3 }, () => open({ connections: 3 })));
    const ids = Array.from({ length: 8 }, (_, index) => `e${index}`);
    await stores[0]!.append(ids.map((id) => first(id)));
    const won = new Map<string, number>();
    const race = async (store: Store, order: string[], mark: number) => {
      const lengths = new Map(ids.map((id) => [id, 1]));
      for (let turn = 0; turn < 40; turn++) {
        const batch = order.flatMap((id): Append[] => {
          const expected = lengths.get(id)!;
          const events = [{ ...event(turn), step: `${mark}` }];
          const change = { row: { name: `by ${mark}` } };
          return [
            { execution_id: id, expected, events, ...change },
            { execution_id: id, expected: expected + 1, events },
          ];
        });
        const refused = new Map((await store.append(batch)).map((one) => [one.execution_id, one.actual]));
        for (const id of order) {
          if (!refused.has(id)) won.set(id, (won.get(id) ?? 0) + 2);
          lengths.set(id, refused.get(id) ?? lengths.get(id)! + 2);
        }
      }
    };
    await Promise.all(
      stores.flatMap((store, index) => [
        race(store, ids, index),
        race(store, [...ids].reverse(), index + 10),
      ]),
    );
    for (const id of ids) {
      const events = await eventsOf(stores[1]!, id);
      expect(events).toHaveLength(1 + won.get(id)!);
      // What one batch appended is contiguous.
      for (let seq = 1; seq < events.length; seq += 2) expect(events[seq]!.step).toBe(events[seq + 1]!.step);
    }
  });

  it('lets one of several create an execution', async () => {
    const stores = await Promise.all([open(), open(), open(), open()]);
    for (let turn = 0; turn < 20; turn++) {
      const ids = ['x', 'y', 'z'].map((name) => `${name}${turn}`);
      const answers = await Promise.all(
        stores.map((store, index) =>
          store.append((index % 2 ? ids : [...ids].reverse()).map((id) => first(id, { name: `${index}` }))),
        ),
      );
      const refused = answers.flat();
      expect(refused).toHaveLength(9);
      expect(new Set(refused.map(({ actual }) => actual))).toEqual(new Set([1]));
    }
  });

  it('says that the first append needs a row', async () => {
    const store = await open();
    const rowless = { execution_id: 'a', expected: 0, events: [event(0)] };
    await expect(store.append([rowless])).rejects.toThrow('the first append of run a has no row');
  });

  it('brings the schema up to date once, whoever starts first', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => open({ connections: 1 })));
    await stores[0]!.append([first('a')]);
    for (const store of stores) expect((await store.execution('a'))?.name).toBe('test');
    const database = postgres(url, { max: 1 });
    expect(await database`SELECT version FROM woof.schema`).toEqual([{ version: MIGRATIONS.length }]);
    await database`UPDATE woof.schema SET version = 99`;
    await expect(openPostgres(url)).rejects.toThrow(/schema version 99.*Use a newer Woof/);
    await database.end();
  });
});

/** A proxy to a port whose near side can be cut; the far side does not notice. */
async function wayTo(port: number): Promise<{ port: number; cut(): void }> {
  const near = new Set<Socket>();
  const way = createServer((socket) => {
    const far = createConnection(port, '127.0.0.1').on('error', () => {});
    near.add(socket.on('error', () => {}));
    socket.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => socket.write(bytes));
    far.on('close', () => socket.destroy());
    far.unref();
  });
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
  way.unref();
  const cut = () => {
    for (const socket of near) socket.destroy();
    near.clear();
  };
  return { port: (way.address() as AddressInfo).port, cut };
}
