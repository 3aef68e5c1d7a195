import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, Reference } from '@woof/net';
import { once } from '@woof/stores';
import {
  describeUnless,
  exerciseBlobs,
  type NatsServer,
  natsReason,
  type PostgresServer,
  postgresReason,
  startNats,
  startPostgres,
} from '@woof/testkit';
import { createTools, resultStores } from '@woof/tools';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultStore } from './result-store.ts';
import { ResultStores } from './result-stores.ts';

const folders: string[] = [];
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'woof-results-'));
  folders.push(made);
  return made;
};
afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

/** The suite for all blob stores, applied to a store as a document names it. */
function exercise(kind: string, make: () => { definition: JsonObject; damage: Damage }): void {
  exerciseBlobs(kind, async () => {
    const { definition, damage } = make();
    const near = folder();
    const stores = new ResultStores(near);
    const store = await stores.of({ kind, ...definition }, folder(), {});
    return {
      blobs: store,
      damage: async (reference) => {
        rmSync(join(near, readdirSync(near)[0]!, 'near'), { recursive: true, force: true });
        await damage(reference, store);
      },
      dispose: () => stores.close(),
    };
  });
}

type Damage = (reference: Reference, store: ResultStore) => Promise<void>;

const perform = async (kind: string, input: JsonObject) => {
  const tool = createTools().get(kind)!;
  const outcome = await tool.run(
    {
      input,
      spec: {},
      idempotencyKey: 'x/1',
      visitKey: 'x/1',
      executionId: 'x',
      step: 's',
      fence: 1,
      attempt: 1,
      lost: 0,
      workdir: '/',
    },
    {
      signal: new AbortController().signal,
      blobs: { put: () => Promise.reject(new Error('none')), get: () => once(Buffer.alloc(0)) },
      now: Date.now,
      log: () => undefined,
      granted: { allow_files: false, allow_network: false, allow_shell: false },
      sandbox: true,
    },
  );
  await tool.close?.();
  if (outcome.status !== 'ok') throw new Error(JSON.stringify(outcome));
};

exercise('file', () => ({
  definition: { path: 'some/results' },
  damage: async ({ key }, store) => {
    const path = join(store.name.replace('file:', ''), key);
    const bytes = readFileSync(path);
    bytes[0]! ^= 1;
    writeFileSync(path, bytes);
  },
}));

describe('s3', () => {
  const auth = { access_key_id: 'S3RVER', secret_access_key: 'S3RVER' };
  const where: JsonObject = { bucket: 'mine', prefix: 'some/results/', auth };
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: folder(),
    configureBuckets: [{ name: 'mine', configs: [] }],
  });
  beforeAll(async () => {
    where.endpoint = `http://127.0.0.1:${(await server.run()).port}`;
  });
  afterAll(() => server.close());
  exercise('s3', () => ({
    definition: where,
    damage: ({ key }) => perform('s3', { ...where, action: 'put', key: `some/results/${key}`, data: 'x' }),
  }));

  it('stays open for a job that holds it, however many others there are', async () => {
    const stores = new ResultStores(folder());
    const at = (prefix: string, holder: object) => stores.of({ kind: 's3', ...where, prefix }, '/', holder);
    const [job, others] = [{}, {}];
    const held = await at('held/', job);
    const released = await at('released/', others);
    stores.release(others);
    for (let n = 0; n < 40; n++) await at(`other-${n}/`, others);
    await held.put(once(Buffer.from('value')), { hint: null, maxBytes: 100 });
    expect(await at('held/', job)).toBe(held);
    expect(await at('released/', job)).not.toBe(released);
    stores.release(job);
    stores.release(others);
    for (let n = 40; n < 80; n++) await at(`other-${n}/`, {});
    expect(await at('held/', job)).not.toBe(held);
    await stores.close();
  });
});

describeUnless(postgresReason())('postgres', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.dispose());
  exercise('postgres', () => ({
    definition: { url: server.url(), table: 'results' },
    damage: ({ key }) =>
      perform('postgres', {
        url: server.url(),
        command: `UPDATE results SET bytes = set_byte(bytes, 0, 255 - get_byte(bytes, 0)) WHERE key = '${key}' AND no = 0`,
      }),
  }));
});

describeUnless(natsReason())('nats', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.dispose());
  exercise('nats_object', () => ({
    definition: { servers: server.url, bucket: 'results' },
    damage: ({ key }) =>
      perform('nats', {
        operation: 'object_put',
        servers: server.url,
        bucket: 'results',
        name: key,
        data: 'x',
      }),
  }));
});

describe('files', () => {
  const store = (workdir: string, path: string) =>
    new ResultStores(folder()).of({ kind: 'file', path }, workdir, {});
  const put = async (workdir: string, path: string) =>
    (await store(workdir, path)).put(once(Buffer.from('value')), { hint: null, maxBytes: 100 });

  it.each(['/etc', '..', '../x', 'a/../../b', 'a\0b', ''])('are not stored in %j', async (path) => {
    await expect(put(folder(), path)).rejects.toThrow(/must be a directory below the folder of the document/);
  });

  it('are not stored behind a link, even if its name is right', async () => {
    const [workdir, elsewhere] = [folder(), folder()];
    await put(workdir, 'plain');
    expect(readdirSync(join(workdir, 'plain'))).toHaveLength(1);
    symlinkSync(elsewhere, join(workdir, 'link'));
    mkdirSync(join(elsewhere, 'inner'));
    await expect(put(workdir, 'link')).rejects.toThrow(/link|ELOOP|ENOTDIR/);
    await expect(put(workdir, 'link/inner')).rejects.toThrow(/link|ELOOP|ENOTDIR/);
    expect(readdirSync(join(elsewhere, 'inner'))).toEqual([]);
    expect(readdirSync(elsewhere)).toEqual(['inner']);
  });
});

it('shares a store only if everything said about it is equal', async () => {
  const stores = new ResultStores(folder());
  const s3 = (secret_access_key: string) =>
    stores.of({ kind: 's3', bucket: 'b', auth: { access_key_id: 'a', secret_access_key } }, '/', {});
  const [one, two, other] = [await s3('x'), await s3('x'), await s3('y')];
  expect(one).toBe(two);
  expect(one).not.toBe(other);
  expect(other.name).toBe(one.name);
  expect(one.name).not.toContain('x"');
  await stores.close();
});

it('says which field is wrong, and which kinds there are', async () => {
  const stores = new ResultStores(folder());
  await expect(stores.of({ kind: 's3' }, '/', {})).rejects.toThrow(/"bucket" must be/);
  await expect(stores.of({ kind: 'ftp' }, '/', {})).rejects.toThrow(
    `one of ${Object.keys(resultStores).join(', ')}, got ftp`,
  );
});
