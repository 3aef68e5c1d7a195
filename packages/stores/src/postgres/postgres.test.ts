import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  describeUnless,
  exerciseBlobs,
  exerciseLogs,
  exerciseStore,
  type PostgresServer,
  postgresReason,
  startPostgres,
} from '@woof/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CachedBlobs } from '../blobs/cached-blobs.ts';
import { MIGRATIONS } from './migrations.ts';
import { openPostgres } from './open-postgres.ts';

describeUnless(postgresReason())('postgres', () => {
  let server: PostgresServer;
  let admin: ReturnType<typeof postgres>;
  beforeAll(async () => {
    // Other tests cover what a crash leaves.
    server = await startPostgres({ settings: { fsync: 'off' } });
    await (await openPostgres(server.url())).close();
    admin = postgres(server.url(), { max: 1, onnotice: () => {} });
  });
  afterAll(async () => {
    await admin.end();
    await server.dispose();
  });

  async function empty(): Promise<void> {
    const tables =
      await admin`SELECT tablename FROM pg_tables WHERE schemaname = 'woof' AND tablename <> 'schema'`;
    const names = tables.map(({ tablename }) => `woof.${tablename}`);
    await admin.unsafe(`TRUNCATE ${names.join(', ')} RESTART IDENTITY`);
  }

  /** Runs are numbered from 1, or in their own period. */
  const PERIODS = [
    ['postgres', 'SELECT 1'],
    ['postgres, with periods', 'SELECT woof.add_period(1); SELECT woof.enter_period()'],
  ] as const;
  for (const [name, begin] of PERIODS)
    exerciseStore(name, async () => {
      await empty();
      await admin.unsafe(begin);
      const url = server.url();
      const opened = [await openPostgres(url, { connections: 4 })];
      const open = async () => {
        opened.push(await openPostgres(url, { connections: 4 }));
        return opened.at(-1)!.store;
      };
      return {
        store: opened[0]!.store,
        reopen: async () => {
          await opened.pop()!.close();
          return open();
        },
        another: open,
        dispose: async () => {
          await Promise.all(opened.map((one) => one.close()));
        },
      };
    });

  exerciseLogs('postgres', async () => {
    await empty();
    const { store, logs, close } = await openPostgres(server.url(), { connections: 4 });
    const begin = async (id: string) => {
      const row = { execution_id: id, name: 'x', kind: 'playbook', plan_hash: '', started_at: 0 };
      await store.append([{ execution_id: id, expected: 0, events: [], row: { ...row, status: 'running' } }]);
    };
    return { logs, begin, dispose: close };
  });

  exerciseBlobs('postgres', async () => {
    await empty();
    const { blobs, close } = await openPostgres(server.url(), { connections: 4 });
    return {
      blobs,
      withoutText: 'a database gives nothing at once; CachedBlobs does',
      damage: async () => {
        await admin`UPDATE woof.chunks SET bytes = set_byte(bytes, 0, get_byte(bytes, 0) # 1)`;
      },
      dispose: close,
    };
  });

  exerciseBlobs('postgres, cached', async () => {
    await empty();
    const folder = mkdtempSync(join(tmpdir(), 'woof-blobs-'));
    const { blobs, close } = await openPostgres(server.url(), { connections: 4 });
    return {
      blobs: new CachedBlobs(folder, blobs),
      damage: async () => {
        for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
        await admin`UPDATE woof.chunks SET bytes = set_byte(bytes, 0, get_byte(bytes, 0) # 1)`;
      },
      dispose: async () => {
        await close();
        rmSync(folder, { recursive: true });
      },
    };
  });

  describe('logs', () => {
    const ROW = { status: 'running', execution_id: 'one' };
    const written = (text: string) => ({
      at: '2026-11-15T12:00:00.000Z',
      step: 'a',
      job_id: 'a.1',
      task_run_id: 'a.1/t.1',
      stream: 'stdout' as const,
      text,
    });

    it('in records are moved, whatever they contain', async () => {
      await empty();
      const texts = ['a', '\0 \\u0000 \\\0\0', '\ud800 \x1a', 'z'];
      const { store, logs, close } = await openPostgres(server.url());
      await admin`INSERT INTO woof.executions (id, row) VALUES ('one', ${admin.json(ROW)})`;
      for (const [n, batch] of [texts.slice(0, 2), texts.slice(2)].entries())
        await store.records.put('logs', `one/000176322456${n}000-00000000${n}-abcdef`, {
          lines: batch.map(written),
        });
      await admin.unsafe('DROP TABLE woof.log_lines; DROP FUNCTION woof.add_log_lines');
      await admin.unsafe(MIGRATIONS.find((step) => step.includes('TABLE woof.log_lines'))!);
      const { lines } = await logs.read('one', { limit: 10 });
      expect(lines.map(({ text }) => text)).toEqual(texts);
      expect(await store.records.list('logs')).toEqual([]);
      await close();
    });

    it('are removed when they are old', async () => {
      await empty();
      await admin`INSERT INTO woof.executions (id, row) VALUES ('one', ${admin.json(ROW)})`;
      const { store, logs, close } = await openPostgres(server.url());
      await logs.append([{ execution_id: 'one', ...written('old') }]);
      await admin`UPDATE woof.log_lines SET written_at = written_at - 1000000`;
      await logs.append([{ execution_id: 'one', ...written('new') }]);
      expect(await logs.forget((await store.now()) - 500_000)).toBe(false);
      expect((await logs.read('one', { limit: 10 })).lines.map(({ text }) => text)).toEqual(['new']);
      await close();
    });
  });

  it('finds executions that wait for a worker by an index, however many are running', async () => {
    await empty();
    await admin`INSERT INTO woof.executions (id, row)
      SELECT i::text, jsonb_build_object('status', 'running', 'wants', CASE WHEN i % 1000 = 0 THEN '{}'::jsonb END)
      FROM generate_series(1, 5000) i`;
    await admin`ANALYZE woof.executions`;
    const { store, close } = await openPostgres(server.url());
    const filter = { wanting: true, status: 'running', limit: 3 } as const;
    expect(await store.executions(filter)).toHaveLength(3);
    const plan = await admin.unsafe(
      `EXPLAIN SELECT row FROM woof.executions WHERE status = ANY ('{running}') AND wanting ORDER BY no DESC LIMIT 3`,
    );
    expect(JSON.stringify(plan)).toContain('executions_wanting');
    await close();
  });

  describe('uploads', () => {
    const counts = async () => {
      const [found] = await admin`SELECT (SELECT count(*)::int FROM woof.blobs) AS blobs,
        (SELECT count(DISTINCT upload)::int FROM woof.chunks) AS chunks, (SELECT count(*)::int FROM woof.uploads) AS uploads`;
      return found;
    };
    const options = { hint: null, maxBytes: 10_000_000 };
    async function* pieces(between: () => Promise<void> = async () => {}): AsyncIterable<Uint8Array> {
      yield Buffer.alloc(600_000, 1);
      await between();
      yield Buffer.alloc(600_000, 2);
    }

    /** Of 600,000 bytes, two chunks are complete. */
    const bothArrived = async () => {
      while ((await admin`SELECT 1 FROM woof.chunks`).length < 2)
        await new Promise((go) => setTimeout(go, 5));
    };

    it('are invisible before they end, and leave nothing when they break', async () => {
      await empty();
      const { blobs, close } = await openPostgres(server.url());
      let go = () => {};
      const gate = new Promise<void>((resolve) => {
        go = resolve;
      });
      const putting = blobs.put(
        pieces(() => gate),
        options,
      );
      await bothArrived();
      expect(await counts()).toEqual({ blobs: 0, chunks: 1, uploads: 1 });
      go();
      await putting;
      expect(await counts()).toEqual({ blobs: 1, chunks: 1, uploads: 0 });
      await blobs.put(pieces(), options);
      expect(await counts()).toEqual({ blobs: 1, chunks: 1, uploads: 0 });
      await expect(
        blobs.put(
          pieces(() => Promise.reject(new Error('broke'))),
          options,
        ),
      ).rejects.toThrow('broke');
      await expect(blobs.put(pieces(), { ...options, maxBytes: 700_000 })).rejects.toThrow(/limit/);
      expect(await counts()).toEqual({ blobs: 1, chunks: 1, uploads: 0 });
      await close();
    });

    it('that a dead process left are removed, and do not come back', async () => {
      await empty();
      const { blobs, close } = await openPostgres(server.url());
      let go = () => {};
      const gate = new Promise<void>((resolve) => {
        go = resolve;
      });
      const stalled = blobs.put(
        pieces(() => gate),
        options,
      );
      await bothArrived();
      await admin`UPDATE woof.uploads SET seen_at = seen_at - 3700000`;
      const other = await openPostgres(server.url());
      async function* small() {
        yield Buffer.from('small');
      }
      const reference = await other.blobs.put(small(), options);
      expect(await counts()).toEqual({ blobs: 1, chunks: 1, uploads: 0 });
      go();
      await expect(stalled).rejects.toThrow(/dropped the upload/);
      expect(await counts()).toEqual({ blobs: 1, chunks: 1, uploads: 0 });
      await other.blobs.bring(reference);
      await Promise.all([close(), other.close()]);
    });
  });
});
