import {
  describeUnless,
  exerciseStore,
  type PostgresServer,
  postgresReason,
  startPostgres,
} from '@woof/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { openPostgres } from './open-postgres.ts';

describeUnless(postgresReason())('postgres', () => {
  let server: PostgresServer;
  let admin: ReturnType<typeof postgres>;
  beforeAll(async () => {
    // What a crash leaves is the matter of other tests.
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

  exerciseStore('postgres', async () => {
    await empty();
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
});
