/** `--keep-days`: a server that removes runs. */
import { openPostgres } from '@woof/stores/postgres';
import { describeUnless, type PostgresServer, postgresReason, startPostgres } from '@woof/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, lastJson, playbook, temporaryFolder, until } from '../cli/woof.ts';
import { ask, startServer } from './machines.ts';

const HELLO = playbook(`- step: start\n  tool: {kind: noop, result: hello}\n`);

describeUnless(postgresReason())('a server with --keep-days', () => {
  let database: PostgresServer;
  beforeAll(async () => {
    database = await startPostgres({ settings: { fsync: 'off' } });
  });
  afterAll(() => database.dispose());

  test('removes runs that ended long ago, and new ones continue', async () => {
    const cwd = temporaryFolder({ 'hello.yaml': HELLO });
    const options = { verb: 'up', more: ['--store', database.url()] };
    const first = await startServer(cwd, options);
    const submit = async (server: typeof first) =>
      lastJson<Account>(await ask(server, cwd, 'submit', 'hello.yaml', '--wait', '--json')).execution_id;
    const [old, recent] = [await submit(first), await submit(first)];
    first.child.kill('SIGTERM');
    await first.ended;
    await makeOld(old);

    const server = await startServer(cwd, { ...options, more: [...options.more, '--keep-days', '30'] });
    const ids = async () =>
      lastJson<{ execution_id: string }[]>(await ask(server, cwd, 'runs', '--json')).map(
        (run) => run.execution_id,
      );
    await until('the old run has gone', async () => !(await ids()).includes(old));
    const next = await submit(server);
    expect(await ids()).toEqual([next, recent]);
    expect((await ask(server, cwd, 'show', old)).status).not.toBe(0);
    server.child.kill('SIGTERM');
    await server.ended;
  });

  async function makeOld(id: string): Promise<void> {
    const { store, close } = await openPostgres(database.url());
    let expected = 0;
    for await (const { events } of store.read(id)) expected += events.length;
    const row = { started_at: 1, ended_at: 2 };
    expect(await store.append([{ execution_id: id, expected, events: [], row }])).toEqual([]);
    await close();
  }
});
