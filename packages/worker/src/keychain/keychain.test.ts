/** Every kind of entry against real files and a real HTTP service. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, KeychainEntry, Plan } from '@woof/net';
import { FileBlobs, Values } from '@woof/stores';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Keychain } from './keychain.ts';
import type { SecretSources } from './sources.ts';

const folder = mkdtempSync(join(tmpdir(), 'woof-keychain-'));
const inside = join(folder, 'documents');
let service: Server;
let url = '';
let asked: { path: string; headers: IncomingMessage['headers']; body: string }[] = [];
let answer: (path: string) => { status: number; body: unknown } = () => ({ status: 404, body: {} });
let now = 1_000_000;

beforeAll(async () => {
  mkdirSync(inside);
  service = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      asked.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() });
      const { status, body } = answer(path);
      response.writeHead(status, { location: `${url}/elsewhere` }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});

afterAll(() => {
  rmSync(folder, { recursive: true });
  service.close();
});

beforeEach(() => {
  asked = [];
  now = 1_000_000;
});

/** A plan whose one task reads every entry. */
function planOf(keychain: KeychainEntry[]): Plan {
  const task = {
    label: 't',
    kind: 'noop',
    at: [1, 1] as [number, number],
    input: { r: '{{ keychain }}' },
    spec: {},
  };
  return {
    kind: 'playbook',
    name: 'p',
    entry: ['s'],
    failure: 'route',
    workload: {},
    keychain,
    steps: [
      {
        name: 's',
        at: [1, 1],
        join: 'each',
        admit: [],
        tasks: [task],
        next: { mode: 'exclusive', arcs: [] },
      },
    ],
    blocks: {},
    where: {},
  };
}

const STORED: Record<string, Record<string, string>> = {
  api: { token: 'stored-token' },
  pair: { user: 'ada', password: 'stored-password' },
  client: { client_id: 'me', client_secret: 'client/secret value' },
  lone: { value: 'stored-value' },
  pg: { host: 'localhost', user: 'postgres', password: 'pg-password', url: 'postgres://u:inner-pass@h/db' },
  store: {
    db_host: 'db.example.org',
    hostname: 'other.example.org',
    server: 'third.example.org',
    db_name: 'postgres',
    db: 'invoices',
    db_user: 'accountant',
    pass: 'pg-password',
  },
};

function sourcesOf(env?: Record<string, string>): SecretSources {
  return {
    stored: async (name) => STORED[name],
    ...(env ? { machine: { env, folders: [join(folder, 'allowed')], hidden: join(inside, 'data') } } : {}),
    howToSet: (name, fields) => `set ${[name, ...fields].join(' ')}`,
    now: () => now,
  };
}

function resolve(
  keychain: KeychainEntry[],
  env: Record<string, string> | undefined = {},
  workload: JsonObject = {},
) {
  const world = { execution_id: 'e', workload };
  return Keychain.resolve({ plan: planOf(keychain), world, folder: inside, sources: sourcesOf(env) });
}

const valuesOf = async (...args: Parameters<typeof resolve>) => (await resolve(...args)).values;
const faultOf = (...args: Parameters<typeof resolve>) =>
  resolve(...args).then(
    () => 'resolved',
    (error: { message: string; fix: string }) => `${error.message} | ${error.fix}`,
  );

describe('the store', () => {
  test('by the name of the entry, by another name, by the terms of the specification', async () => {
    const entries = [
      { name: 'api', kind: 'secret' },
      { name: 'other', kind: 'secret_manager', secret: 'api' },
      { name: 'pg', kind: 'postgres_credential' },
    ];
    expect(await valuesOf(entries)).toEqual({ api: STORED.api, other: STORED.api, pg: STORED.pg });
  });

  test('bearer and basic say what they are', async () => {
    const entries = [
      { name: 'api', kind: 'bearer' },
      { name: 'lone', kind: 'bearer' },
      { name: 'b', kind: 'bearer', token: '{{ keychain.api.token }}' },
      { name: 'pair', kind: 'basic' },
      { name: 'c', kind: 'basic', username: 'eve', password: '{{ keychain.pair.password }}' },
    ];
    expect(await valuesOf(entries)).toMatchObject({
      api: { type: 'bearer', token: 'stored-token' },
      lone: { type: 'bearer', token: 'stored-value' },
      b: { type: 'bearer', token: 'stored-token' },
      pair: { type: 'basic', username: 'ada', password: 'stored-password' },
      c: { type: 'basic', username: 'eve', password: 'stored-password' },
    });
  });

  test.each([
    [{ name: 'no', kind: 'secret' }, 'keychain entry "no" (secret): there is no secret "no" | set no'],
    [{ name: 'no', kind: 'bearer' }, 'keychain entry "no" (bearer): there is no secret "no" | set no token'],
    [
      { name: 'pair', kind: 'bearer' },
      'keychain entry "pair" (bearer): the secret "pair" has no field `token` | set pair token',
    ],
  ])('says what is missing and how to set it: %j', async (entry, expected) => {
    expect(await faultOf([entry])).toBe(expected);
  });
});

describe('the environment', () => {
  test('one variable, the default name, several', async () => {
    const entries = [
      { name: 'a', kind: 'environment', variable: 'MY_A' },
      { name: 'my-b', kind: 'env' },
      { name: 'c', kind: 'environment', variables: { user: 'MY_A', pass: 'MY_B' } },
      { name: 'd', kind: 'secret_manager', provider: 'environment', variable: 'MY_A' },
    ];
    const env = { MY_A: 'value-a', MY_B: 'value-b' };
    expect(await valuesOf(entries, env)).toEqual({
      a: { value: 'value-a' },
      'my-b': { value: 'value-b' },
      c: { user: 'value-a', pass: 'value-b' },
      d: { value: 'value-a' },
    });
  });

  test('what is not set, and what is Woof’s own', async () => {
    expect(await faultOf([{ name: 'a', kind: 'environment' }])).toMatch(/variable A is not set \| export A/);
    const own = [{ name: 'a', kind: 'environment', variable: 'WOOF_SECRET_KEY' }];
    expect(await faultOf(own, { WOOF_SECRET_KEY: 'k' })).toMatch(/variable WOOF_SECRET_KEY is not set/);
  });

  test('of a worker is not used: the store is asked instead', async () => {
    const entry = { name: 'lone', kind: 'environment', variable: 'PATH' };
    const world = { execution_id: 'e', workload: {} };
    const sources = sourcesOf();
    const keychain = await Keychain.resolve({ plan: planOf([entry]), world, folder: inside, sources });
    expect(keychain.values).toEqual({ lone: STORED.lone });
  });
});

describe('files', () => {
  test('text and JSON, in the folder of the document and in one that was named', async () => {
    mkdirSync(join(folder, 'allowed'), { recursive: true });
    writeFileSync(join(inside, 'key.txt'), 'first line\nsecond\n');
    writeFileSync(join(folder, 'allowed', 'k.json'), '{"user": "u", "port": 5432}');
    const entries = [
      { name: 'a', kind: 'file', path: 'key.txt' },
      { name: 'b', kind: 'file', path: join(folder, 'allowed', 'k.json'), format: 'json' },
    ];
    expect(await valuesOf(entries)).toEqual({
      a: { value: 'first line\nsecond' },
      b: { user: 'u', port: '5432' },
    });
  });

  test('nothing outside, not even through a link', async () => {
    writeFileSync(join(folder, 'private'), 'a private key');
    symlinkSync(join(folder, 'private'), join(inside, 'link'));
    for (const path of ['../private', 'link', '/etc/hostname', join(folder, 'private')]) {
      expect(await faultOf([{ name: 'a', kind: 'file', path }])).toMatch(
        /outside the document's folder|no file/,
      );
    }
    // The control: the same file inside is read.
    writeFileSync(join(inside, 'private'), 'a private key');
    expect(await valuesOf([{ name: 'a', kind: 'file', path: 'private' }])).toEqual({
      a: { value: 'a private key' },
    });
  });

  test('nothing of the data directory, wherever it is: it has the key of all secrets', async () => {
    for (const data of ['data', '.woof']) {
      mkdirSync(join(inside, data));
      writeFileSync(join(inside, data, 'secret-key'), 'the key');
      const entry = { name: 'a', kind: 'file', path: `${data}/secret-key` };
      expect(await faultOf([entry])).toMatch(/belongs to Woof itself/);
    }
  });

  test('does not wait for something that is not a file', async () => {
    execFileSync('/usr/bin/mkfifo', [join(inside, 'pipe')]);
    mkdirSync(join(inside, 'folder'));
    for (const path of ['pipe', 'folder'])
      expect(await faultOf([{ name: 'a', kind: 'file', path }])).toMatch(/is not a file/);
  });

  test('broken JSON is not quoted', async () => {
    writeFileSync(join(inside, 'broken.json'), '{"password": "hunter22"');
    const fault = await faultOf([{ name: 'a', kind: 'file', path: 'broken.json', format: 'json' }]);
    expect(fault).toMatch(/does not contain a JSON object/);
    expect(fault).not.toMatch(/hunter22/);
  });
});

describe('vault', () => {
  const entry = { name: 'v', kind: 'vault', path: 'secret/data/app' };

  test('both versions of its store; the address and token of the environment', async () => {
    answer = () => ({ status: 200, body: { data: { data: { password: 'from-vault', port: 1 } } } });
    expect(await valuesOf([entry], { VAULT_ADDR: url, VAULT_TOKEN: 'root-token' })).toEqual({
      v: { password: 'from-vault', port: '1' },
    });
    expect(asked[0]).toMatchObject({
      path: '/v1/secret/data/app',
      headers: { 'x-vault-token': 'root-token' },
    });
    answer = () => ({ status: 200, body: { data: { password: 'from-vault' } } });
    const own = { ...entry, url, secret: 'api', namespace: 'team' };
    expect(await valuesOf([own])).toEqual({ v: { password: 'from-vault' } });
    expect(asked[1]?.headers).toMatchObject({ 'x-vault-token': 'stored-token', 'x-vault-namespace': 'team' });
  });

  test('the token of the environment is not sent to an address from the document', async () => {
    expect(await faultOf([{ ...entry, url }], { VAULT_TOKEN: 'root-token' })).toMatch(/it has no token/);
    expect(asked).toEqual([]);
  });

  test.each([
    [403, /answered 403/],
    [302, /cannot be reached/],
    [500, /answered 500/],
  ])('says that it answered %d, and not what', async (status, expected) => {
    answer = () => ({ status, body: { errors: ['token root-token is bad'] } });
    const fault = await faultOf([entry], { VAULT_ADDR: url, VAULT_TOKEN: 'root-token' });
    expect(fault).toMatch(expected);
    expect(fault).not.toMatch(/root-token/);
  });

  test('a service that is not there', async () => {
    const gone = createServer();
    await new Promise<void>((resolved) => gone.listen(0, '127.0.0.1', resolved));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolved) => gone.close(resolved));
    const env = { VAULT_ADDR: `http://127.0.0.1:${port}`, VAULT_TOKEN: 'x' };
    expect(await faultOf([entry], env)).toMatch(new RegExp(`127\\.0\\.0\\.1:${port}: ECONNREFUSED`));
  });
});

describe('oauth2', () => {
  let count = 0;
  const entry = { name: 'o', kind: 'oauth2', secret: 'client', scope: 'read' };
  const tokens = () => {
    answer = () => ({ status: 200, body: { access_token: `access-${++count}`, expires_in: 3600 } });
    count = 0;
  };

  test('asks with basic authentication, or in the body', async () => {
    tokens();
    const values = await valuesOf([{ ...entry, token_url: `${url}/token` }]);
    expect(values.o).toEqual({ type: 'bearer', token: 'access-1', access_token: 'access-1' });
    const basic = Buffer.from('me:client%2Fsecret%20value').toString('base64');
    expect(asked[0]).toMatchObject({
      headers: { authorization: `Basic ${basic}` },
      body: 'grant_type=client_credentials&scope=read',
    });
    await valuesOf([{ ...entry, token_url: `${url}/token`, style: 'body' }]);
    expect(asked[1]?.body).toContain('client_secret=client%2Fsecret+value');
  });

  test('keeps a token until shortly before it expires, and hides old ones too', async () => {
    tokens();
    const keychain = await resolve([{ ...entry, token_url: `${url}/token` }]);
    now += 3_500_000;
    await keychain.freshen();
    expect(count).toBe(1);
    now += 80_000;
    await Promise.all([keychain.freshen(), keychain.freshen()]);
    expect(count).toBe(2);
    expect(keychain.values.o).toMatchObject({ token: 'access-2' });
    expect(keychain.redactor.text('access-1 access-2')).toBe('***o.token*** ***o.token***');
  });

  test('is fetched again if a service refused it, and nothing else is', async () => {
    tokens();
    const keychain = await resolve([
      { ...entry, token_url: `${url}/token` },
      { name: 'api', kind: 'bearer' },
    ]);
    const seen = keychain.values;
    expect(await keychain.renew(new Set(['api']), seen)).toBe(false);
    // Several tasks were refused with the same token: one of them fetches the next.
    const all = [1, 2, 3].map(() => keychain.renew(new Set(['o']), seen));
    expect(await Promise.all(all)).toEqual([true, true, true]);
    expect(count).toBe(2);
  });

  test('a refusal names only the error code', async () => {
    answer = () => ({
      status: 401,
      body: { error: 'invalid_client', error_description: 'client/secret value' },
    });
    const fault = await faultOf([{ ...entry, token_url: `${url}/token` }]);
    expect(fault).toMatch(/answered 401 \(invalid_client\)/);
    expect(fault).not.toMatch(/client\/secret/);
  });
});

describe('values', () => {
  test('are hidden, except names of hosts and users; so is a password inside an address', async () => {
    const { redactor } = await resolve([{ name: 'pg', kind: 'postgres_credential' }]);
    expect(redactor.text('postgres at localhost with pg-password or inner-pass')).toBe(
      'postgres at localhost with ***pg.password*** or ***pg.url***',
    );
  });

  test('a password inside an address is also hidden in its decoded form', async () => {
    const env = { DSN: 'postgres://woof:p%40ss%2Fword@localhost/db' };
    const plan = planOf([{ name: 'dsn', kind: 'environment', variable: 'DSN' }]);
    const world = { execution_id: 'e', workload: {} };
    const { redactor } = await Keychain.resolve({ plan, world, folder: inside, sources: sourcesOf(env) });
    expect(redactor.text('with p@ss/word and p%40ss%2Fword')).toBe(
      'with ***dsn.value*** and ***dsn.value***',
    );
  });

  test('where a database is, and who asks it, is not hidden, whatever the fields are called', async () => {
    const { redactor } = await resolve([{ name: 'store', kind: 'postgres_credential' }]);
    const open = 'postgres at db.example.org, other.example.org or third.example.org: invoices of accountant';
    expect(redactor.text(`${open}, pg-password`)).toBe(`${open}, ***store.pass***`);
  });

  test('an entry by its bare name in auth and credential, at any depth', async () => {
    const keychain = await resolve([{ name: 'api', kind: 'bearer' }]);
    const credentials = { type: 'bearer', token: 'stored-token' };
    const written = { auth: 'api', a: { credential: 'api' }, b: 'api', c: { auth: 'no' } };
    expect(keychain.withCredentials(written, written)).toEqual({
      auth: credentials,
      a: { credential: credentials },
      b: 'api',
      c: { auth: 'no' },
    });
  });

  test('an entry that a template names is refused, at any depth; other values pass', async () => {
    const keychain = await resolve([{ name: 'api', kind: 'bearer' }]);
    const written = { auth: '{{ workload.which }}', a: { credential: '{{ fetched.name }}' } };
    for (const data of [{ auth: 'api' }, { a: { credential: 'api' } }])
      expect(() => keychain.withCredentials(data, written)).toThrow(
        /keychain entry "api".*data must not choose secrets/,
      );
    const other = { auth: 'postgres://host/db', a: { credential: 'x' }, b: { auth: 'api' } };
    expect(keychain.withCredentials(other, written)).toEqual(other);
  });

  test('short ones are reported', async () => {
    const short: string[] = [];
    const world = { execution_id: 'e', workload: {} };
    const plan = planOf([{ name: 'a', kind: 'environment', variable: 'A' }]);
    const onShort = (name: string) => short.push(name);
    await Keychain.resolve({ plan, world, folder: inside, sources: sourcesOf({ A: '1234' }), onShort });
    expect(short).toEqual(['a.value']);
  });

  test('fields of an entry may read the workload and entries before it, and a mistake names the place', async () => {
    const entries = [{ name: 'a', kind: 'environment', variable: '{{ workload.which }}' }];
    expect(await valuesOf(entries, { MY_A: 'value-a' }, { which: 'MY_A' })).toEqual({
      a: { value: 'value-a' },
    });
    expect(await faultOf(entries, {}, {})).toMatch(/keychain entry "a".*workload\.which.*fix the template/);
  });

  test('fields of an entry may read a value of the workload that is stored elsewhere', async () => {
    const stored = new Values(new FileBlobs(join(folder, 'blobs')));
    const tenants = stored.offload([{ which: 'MY_A', pad: 'p'.repeat(70_000) }]);
    await stored.save();
    const far = new Values(new FileBlobs(join(folder, 'blobs')));
    const keychain = await Keychain.resolve({
      plan: planOf([{ name: 'a', kind: 'environment', variable: '{{ workload.tenants[0].which }}' }]),
      world: { execution_id: 'e', workload: { tenants } },
      folder: inside,
      sources: sourcesOf({ MY_A: 'value-a' }),
      values: { host: far.host(() => now), lacks: () => far.hasMissing, bring: () => far.bring() },
    });
    expect(keychain.values).toEqual({ a: { value: 'value-a' } });
  });
});
