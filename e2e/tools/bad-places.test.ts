/**
 * Servers that are wrong, silent or hostile, as a person sees them: the error kind, whether to retry, and where it
 * happened.
 */
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { JsonObject } from '@woof/net';
import {
  describeUnless,
  type NatsServer,
  natsReason,
  type PostgresServer,
  postgresReason,
  startNats,
  startPostgres,
} from '@woof/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runWoof, temporaryFolder } from '../cli/woof.ts';

interface Case {
  task: JsonObject;
  kind: string;
  retryable: boolean;
}

/** One run with a step per case: all of them fail, and none prevents the others. */
async function failures(cases: Case[]) {
  const cwd = temporaryFolder();
  const steps = cases.map(({ task }, index) => {
    const next = index + 1 < cases.length ? `case${index + 1}` : 'end';
    return `  - step: case${index}
    tool:
      - before: {kind: noop}
      - wrong: ${JSON.stringify(task)}
    next: {arcs: [{step: ${next}, when: "{{ event.name == 'step.failed' }}"}]}\n`;
  });
  const head =
    'apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: bad}\nexecutor: {spec: {entry_step: case0}}\n';
  writeFileSync(
    join(cwd, 'p.yaml'),
    `${head}workflow:\n${steps.join('')}  - {step: end, tool: {kind: noop}}\n`,
  );
  const ran = await runWoof(['run', 'p.yaml', '--json'], { cwd });
  const account = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '{}') as {
    status: string;
    steps: Record<string, { status: string; error: JsonObject }>;
  };
  return account;
}

async function expectFailures(cases: Case[]): Promise<void> {
  const { status, steps } = await failures(cases);
  expect(status).toBe('succeeded');
  for (const [index, { task, kind, retryable }] of cases.entries()) {
    const { error } = steps[`case${index}`]!;
    expect(error, JSON.stringify([task, error])).toMatchObject({ kind, retryable });
  }
}

/** A server that handles connections as told. */
function listener(use: (socket: Socket) => void): Promise<{ port: number; server: Server }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    use(socket);
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve({ port: (server.address() as AddressInfo).port, server })),
  );
}

describe('a server that', () => {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const at = async (use: (socket: Socket) => void): Promise<number> => {
    const { port, server } = await listener((socket) => {
      sockets.add(socket);
      use(socket);
    });
    servers.push(server);
    return port;
  };
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
  });
  const auth = { access_key_id: 'a', secret_access_key: 'b' };

  const tasks = (port: number): JsonObject[] => [
    { kind: 'http', url: `http://127.0.0.1:${port}/` },
    { kind: 's3', bucket: 'b', key: 'k', endpoint: `http://127.0.0.1:${port}`, auth },
    { kind: 'postgres', url: `postgres://u:p@127.0.0.1:${port}/d`, command: 'SELECT 1' },
    { kind: 'nats', servers: `127.0.0.1:${port}`, operation: 'kv_keys', bucket: 'b' },
  ];

  test('does not exist', async () => {
    const kinds = ['connection', 'connection', 'db_connection', 'connection'];
    await expectFailures(tasks(1).map((task, index) => ({ task, kind: kinds[index]!, retryable: true })));
  });

  test('never answers', async () => {
    const port = await at(() => {});
    const kinds = ['timeout', 'timeout', 'db_timeout', 'timeout'];
    await expectFailures(
      tasks(port).map((task, index) => ({
        task: { ...task, timeout: 0.3 },
        kind: kinds[index]!,
        retryable: true,
      })),
    );
  });

  test('disconnects at once, or halfway', async () => {
    const kinds = ['connection', 'connection', 'db_connection', 'connection'];
    const cases = (port: number) =>
      tasks(port).map((task, index) => ({ task, kind: kinds[index]!, retryable: true }));
    await expectFailures(cases(await at((socket) => socket.end())));
    const half = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf';
    const port = await at((socket) => socket.once('data', () => socket.end(half)));
    // A NATS client waits for the server's first message, so it would wait for this server, which waits for the client.
    await expectFailures(cases(port).slice(0, 3));
  });
});

describeUnless(postgresReason() ?? natsReason())('a server that says no', () => {
  let postgres: PostgresServer;
  let nats: NatsServer;
  beforeAll(async () => {
    postgres = await startPostgres();
    nats = await startNats(['--user', 'me', '--pass', 'right']);
  });
  afterAll(async () => {
    await postgres.dispose();
    await nats.dispose();
  });

  test('gets credentials, names and texts that are wrong', async () => {
    const url = postgres.url();
    const kv = { kind: 'nats', servers: nats.url, auth: { user: 'me', password: 'right' } };
    const hostile = "'; DROP TABLE pg_class; -- \u0001 \\ \u{1f600}";
    await expectFailures([
      {
        task: { kind: 'postgres', url: url.replace(/:[^:@]*@/, ':wrong@'), command: 'SELECT 1' },
        kind: 'auth',
        retryable: false,
      },
      {
        task: { kind: 'postgres', url: postgres.url('nowhere'), command: 'SELECT 1' },
        kind: 'not_found',
        retryable: false,
      },
      {
        task: { kind: 'postgres', url, command: 'SELECT $1::int', params: [hostile] },
        kind: 'client_error',
        retryable: false,
      },
      {
        task: { kind: 'postgres', url, sslmode: 'verify-full', command: 'SELECT 1' },
        kind: 'connection',
        retryable: false,
      },
      {
        task: { ...kv, auth: { user: 'me', password: 'wrong' }, operation: 'kv_keys', bucket: 'b' },
        kind: 'auth',
        retryable: false,
      },
      {
        task: { ...kv, operation: 'kv_get', bucket: 'absent', key: 'k' },
        kind: 'not_found',
        retryable: false,
      },
      { task: { ...kv, operation: 'kv_get', bucket: 'b', key: hostile }, kind: 'schema', retryable: false },
      {
        task: { kind: 'nats', servers: `tls://127.0.0.1:${nats.port}`, operation: 'kv_keys', bucket: 'b' },
        kind: 'connection',
        retryable: true,
      },
    ]);
  });
});

test('an error names the file, the line, the step and the task', async () => {
  const cwd = temporaryFolder();
  const head = 'apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: bad}\nworkflow:\n';
  const step =
    '  - step: start\n    tool:\n      - take: {kind: nats, servers: "127.0.0.1:1", operation: kv_keys, bucket: b}\n';
  writeFileSync(join(cwd, 'p.yaml'), head + step);
  const { status, stderr } = await runWoof(['run', 'p.yaml'], { cwd });
  expect(status).toBe(1);
  expect(stderr).toMatch(/step "start", task "take": nats 127\.0\.0\.1:1: kv_keys: .*refused/);
  expect(stderr).toMatch(/p\.yaml:7/);
});
