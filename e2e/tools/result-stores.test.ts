/** `spec.result.store`, as a person uses it: the bundled program, real servers. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@woof/net';
import { probeSandbox, sandboxRefusal } from '@woof/sandbox';
import { itUnless, natsReason, postgresReason, startNats, startPostgres } from '@woof/testkit';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runWoof, temporaryFolder } from '../cli/woof.ts';
import {
  draw,
  LIMITS,
  meaningHere,
  playbook as playbookOf,
  prepared,
  RUNS,
  SEED,
} from '../playbook/any-size.ts';

const probe = await probeSandbox();
const noSandbox = probe.available ? undefined : sandboxRefusal(probe);

const KEYCHAIN = `keychain:
  - {name: place, kind: file, path: place.json, format: json}
`;

const playbook = (store: JsonObject, middle = '{kind: noop}') => `
apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: elsewhere}
${KEYCHAIN}executor: {spec: {result: {store: ${JSON.stringify(store)}}, io_policy: {allow_files: true}}}
workflow:
  - step: start
    tool: {kind: noop, result: "{{ range(30000) | list }}"}
    next: {arcs: [{step: between, when: "{{ start | length == 30000 and start[-1] == 29999 }}"}]}
  - step: between
    tool: ${middle}
    next: {arcs: [{step: count}]}
  - step: count
    tool:
      - length: {kind: noop, result: "{{ start | sum }}"}
`;

async function run(text: string, place: JsonObject) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'p.yaml'), text);
  writeFileSync(join(cwd, 'place.json'), JSON.stringify(place));
  const ran = await runWoof(['run', 'p.yaml', '--json'], { cwd });
  const { status, steps } = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '{}') as {
    status: string;
    steps: Record<string, { result: JsonObject; error: JsonObject }>;
  };
  const { stdout: events } = await runWoof(['events', 'last', '--json'], { cwd });
  return { cwd, status, steps, events, stderr: ran.stderr };
}

describe('a store of the playbook', () => {
  const servers: { dispose(): Promise<void> }[] = [];
  const places: Record<string, JsonObject> = { file: {} };
  const password = 'S3RVER';
  const s3 = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: temporaryFolder(),
    configureBuckets: [{ name: 'mine', configs: [] }],
  });
  beforeAll(async () => {
    const { port } = await s3.run();
    places.s3 = {
      access_key_id: 'S3RVER',
      secret_access_key: password,
      endpoint: `http://127.0.0.1:${port}`,
    };
    if (!postgresReason()) {
      const server = await startPostgres();
      servers.push(server);
      const { username, password: secret, port: at } = new URL(server.url());
      places.postgres = {
        host: '127.0.0.1',
        port: at,
        user: username,
        password: secret,
        database: 'postgres',
      };
    }
    if (!natsReason()) {
      const server = await startNats(['--user', 'me', '--pass', 'nats-canary-1f']);
      servers.push(server);
      places.nats_object = { servers: server.url, user: 'me', password: 'nats-canary-1f' };
    }
  });
  afterAll(async () => {
    await s3.close();
    for (const server of servers) await server.dispose();
  });

  const kinds: [string, JsonObject, string | undefined][] = [
    ['file', { kind: 'file', path: 'results' }, undefined],
    [
      's3',
      { kind: 's3', bucket: 'mine', endpoint: '{{ keychain.place.endpoint }}', auth: 'place' },
      undefined,
    ],
    ['postgres', { kind: 'postgres', auth: '{{ keychain.place }}' }, postgresReason()],
    ['nats_object', { kind: 'nats_object', bucket: 'results', auth: '{{ keychain.place }}' }, natsReason()],
  ];
  const keeps = (kind: string, store: JsonObject) => async () => {
    const { status, steps, events, stderr } = await run(playbook(store), places[kind]!);
    expect(stderr).not.toMatch(/error/);
    expect(status).toBe('succeeded');
    expect(steps.start!.result).toMatchObject({
      store: expect.stringMatching(new RegExp(`^${kind}:`)),
      checksum: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      size: 168891,
      schema_hint: { type: 'list', length: 30000 },
    });
    expect(steps.count!.result).toBe(449985000);
    // The password for s3 is also its user's name.
    const { password } = places[kind]!;
    if (password) expect(events).not.toContain(password);
  };
  for (const [kind, store, reason] of kinds)
    itUnless(reason)(`of kind ${kind} keeps what is large`, keeps(kind, store));

  /** The law of e2e/playbook/any-size.test.ts. */
  const changesNothing = (kind: string, store: JsonObject) => async () => {
    const folder = prepared();
    folder.write('place.json', JSON.stringify(places[kind]));
    for (const [index, drawn] of draw(Math.ceil(RUNS / 5), 2).entries()) {
      const expected = await meaningHere(folder, `${KEYCHAIN}${playbookOf(drawn, LIMITS.at(-1)!)}`);
      const limit = LIMITS[index % 2]!;
      const there = playbookOf(drawn, limit, store);
      expect(await meaningHere(folder, `${KEYCHAIN}${there}`), JSON.stringify(drawn)).toEqual(expected);
      if (limit > 0) continue;
      expect((await folder.woof('events', 'last', '--json')).stdout).toContain(`"store":"${kind}:`);
    }
  };
  for (const [kind, store, reason] of kinds)
    itUnless(reason)(
      `of kind ${kind} changes nothing that a playbook means (WOOF_SEED=${SEED})`,
      changesNothing(kind, store),
    );

  itUnless(noSandbox)(
    'that lost a value says so, where it was read, and that it may be tried again',
    async () => {
      const remove = '{kind: shell, command: "rm results/*", spec: {io_policy: {allow_shell: true}}}';
      const { status, steps } = await run(playbook({ kind: 'file', path: 'results' }, remove), {});
      expect(status).toBe('failed');
      expect(steps.count!.error).toMatchObject({
        kind: 'missing_reference',
        retryable: true,
        message: expect.stringMatching(/is no longer in file:.*results.*line 17, count\/tool\/length/),
      });
    },
  );

  itUnless(noSandbox)('that has another value notices', async () => {
    const change = `{kind: shell, command: "for f in results/*; do echo x >> $f; done", spec: {io_policy: {allow_shell: true}}}`;
    const { steps } = await run(playbook({ kind: 'file', path: 'results' }, change), {});
    expect(steps.count!.error).toMatchObject({ kind: 'storage', code: 'damaged', retryable: false });
  });

  test('that cannot be reached, or is full, fails the task', async () => {
    const nowhere = { kind: 's3', bucket: 'b', endpoint: 'http://127.0.0.1:1', auth: 'place' };
    const far = await run(playbook(nowhere), places.s3!);
    expect(far.steps.start!.error).toMatchObject({
      kind: 'connection',
      retryable: true,
      message: expect.stringMatching(/result of task "task_1" cannot be stored.*127\.0\.0\.1:1/),
    });
    const small = await run(playbook({ kind: 'file', path: 'results', max_bytes: 1000 }), {});
    expect(small.steps.start!.error).toMatchObject({ kind: 'storage', retryable: false });
    expect(readdirSync(small.cwd)).not.toContain('results');
  });

  test('of files needs the permission for files', async () => {
    const text = playbook({ kind: 'file', path: 'results' }).replace(', io_policy: {allow_files: true}', '');
    expect((await run(text, {})).steps.start!.error).toMatchObject({
      kind: 'policy',
      message: expect.stringContaining('allow_files'),
    });
  });

  test('gets what tools stream, and tools read it there', async () => {
    const cwd = temporaryFolder();
    const text = playbook(
      { kind: 'file', path: 'results' },
      '{kind: artifact, action: get, uri: "{{ keep.data }}"}',
    )
      .replace(
        'step: start\n',
        'step: keep\n    tool: {kind: artifact, data: [1, 2]}\n    next: {arcs: [{step: start}]}\n  - step: start\n',
      )
      .replace('executor: {spec: {', 'executor: {spec: {entry_step: keep, ');
    writeFileSync(join(cwd, 'p.yaml'), text);
    writeFileSync(join(cwd, 'place.json'), '{}');
    const ran = await runWoof(['run', 'p.yaml', '--json'], { cwd });
    const { steps } = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '{}');
    expect(steps.keep.result.data.store).toBe(`file:${join(cwd, 'results')}`);
    expect(readFileSync(join(cwd, 'results', steps.keep.result.data.key), 'utf8')).toBe('[1,2]');
    expect(steps.between.result.data).toEqual([1, 2]);
  });
});
