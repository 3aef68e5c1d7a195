/**
 * Plants secrets, lets tasks leak them in every possible way, and looks for them everywhere: files, output, the process
 * list, the database, the output of commands. The service must have received them, otherwise the test proves nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless, postgresReason, startPostgres } from '@woof/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Ran, type Running, runWoof, startWoof, temporaryFolder } from '../cli/woof.ts';
import { ask, type ServerProcess, startServer, startWorker } from '../server/machines.ts';
import { CANARIES, CONTROL, findIn, grepFolder, processList } from './canaries.ts';
import { type EchoService, startEchoService } from './echo-service.ts';
import { HELD, leakyPlaybook } from './leaky-playbook.ts';

const VALUES = Object.values(CANARIES);

async function setSecrets(set: (args: string[], input: string) => Promise<Ran>): Promise<void> {
  expect(await set(['api', 'token'], CANARIES.bearer)).toMatchObject({ status: 0 });
  expect(await set(['pair', 'username', 'password'], `someone\n${CANARIES.password}\n`)).toMatchObject({
    status: 0,
  });
  expect(await set(['client'], CANARIES.client)).toMatchObject({ status: 0 });
}

/** Everything that the process list showed while something ran. Its shell task is held until the list has shown it. */
async function watched(running: Running): Promise<{ ran: Ran; seen: string }> {
  const seen = new Set<string>();
  const timer = setInterval(() => {
    for (const { pid, line } of processList()) {
      seen.add(line);
      if (line === HELD) process.kill(pid);
    }
  }, 50);
  const ran = await running.ended;
  clearInterval(timer);
  return { ran, seen: [...seen].join('\n') };
}

function expectHeard(service: EchoService): void {
  const heard = service.heard();
  expect(heard).toContain(JSON.stringify(`Bearer ${CANARIES.bearer}`).slice(1, -1));
  expect(heard).toContain(Buffer.from(`someone:${CANARIES.password}`).toString('base64'));
  expect(findIn(heard, [CANARIES.environment, CANARIES.file]).length).toBeGreaterThan(2);
  // One token that was refused, and the one that was fetched next.
  expect(service.tokens.length).toBeGreaterThan(1);
}

async function expectSilence(
  ran: Ran,
  cwd: string,
  verbs: (args: string[]) => Promise<Ran>,
): Promise<string> {
  const printed = [ran];
  for (const args of [
    ['events', 'last', '--json'],
    ['show', 'last', '--json'],
    ['show', 'last'],
    ['logs', 'last'],
    ['why', 'last'],
    ['result', 'last', 'start'],
  ])
    printed.push(await verbs(args));
  const text = printed.map(({ stdout, stderr }) => stdout + stderr).join('\n');
  expect(findIn(text, VALUES)).toEqual([]);
  expect(grepFolder(cwd, VALUES, ['lines.txt'])).toEqual([]);
  expect(text).toContain('***api.token***');
  expect(text).toContain('***pair.password***');
  return text;
}

describe('woof run', () => {
  test.each([
    ['fails', 1, 'raise ValueError(f"it failed with {token} and {words}")'],
    ['succeeds', 0, 'result = token'],
  ])('leaves no secret anywhere when it %s', async (_, status, last) => {
    const service = await startEchoService();
    const cwd = temporaryFolder({
      'leaky.yaml': leakyPlaybook(service.url, last),
      'lines.txt': `${CANARIES.file}\n`,
    });
    await setSecrets((args, input) => runWoof(['secret', 'set', ...args, '--stdin'], { cwd, input }));
    const env = { CANARY_ENVIRONMENT: CANARIES.environment };
    const { ran, seen } = await watched(startWoof(['run', 'leaky.yaml', '--json'], { cwd, env }));
    expect(ran, ran.stderr).toMatchObject({ status });
    expectHeard(service);
    await expectSilence(ran, cwd, (args) => runWoof(args, { cwd }));
    expect(findIn(seen, VALUES)).toEqual([]);
    expect(seen).toContain('leaky.yaml');
    // The control: the same search finds what may be there.
    expect(grepFolder(cwd, [CONTROL], ['leaky.yaml'])).not.toEqual([]);
    if (status === 0) return;
    const { ran: again } = await watched(startWoof(['rerun', 'last', '--json'], { cwd, env }));
    expect(again.status).toBe(1);
    await expectSilence(again, cwd, (args) => runWoof(args, { cwd }));
  });

  test('what is missing is named before anything runs, with the command that sets it', async () => {
    const service = await startEchoService();
    const cwd = temporaryFolder({ 'leaky.yaml': leakyPlaybook(service.url), 'lines.txt': 'xxxxxx' });
    const run = (env: Record<string, string> = {}) => runWoof(['run', 'leaky.yaml'], { cwd, env });
    expect(await run()).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/"api" \(bearer\).*woof secret set api token/s),
    });
    await setSecrets((args, input) => runWoof(['secret', 'set', ...args, '--stdin'], { cwd, input }));
    expect(await run()).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/"env" \(environment\).*CANARY_ENVIRONMENT/s),
    });
    expect(service.heard()).toBe('');
    expect((await runWoof(['runs', '--json'], { cwd })).stdout.trim()).toMatch(/^(\[\])?$/);
  });
});

describe('woof secret', () => {
  test('lists names, never values; rotates; removes; opens nothing with another key', async () => {
    const cwd = temporaryFolder();
    await setSecrets((args, input) => runWoof(['secret', 'set', ...args, '--stdin'], { cwd, input }));
    const listed = await runWoof(['secret', 'list', '--json'], { cwd });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: 'api', fields: ['token'] },
      { name: 'client', fields: ['value'] },
      { name: 'pair', fields: ['username', 'password'] },
    ]);
    const key = join(cwd, '.woof', 'secret-key');
    const before = readFileSync(key, 'utf8');
    expect(await runWoof(['secret', 'rotate'], { cwd })).toMatchObject({ status: 0 });
    const after = readFileSync(key, 'utf8');
    expect(after).not.toBe(before);
    expect(after.trim().split('\n')).toHaveLength(1);
    const echo = `apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: t}
keychain: [{name: api, kind: bearer}]
workflow:
  - step: start
    tool: {kind: python, args: {t: "{{ keychain.api.token }}"}, code: "result = len(t)"}
`;
    writeFileSync(join(cwd, 'a.yaml'), echo);
    expect(await runWoof(['run', 'a.yaml'], { cwd })).toMatchObject({
      status: 0,
      stdout: `${CANARIES.bearer.length}\n`,
    });
    writeFileSync(key, before);
    const wrong = await runWoof(['run', 'a.yaml'], { cwd });
    expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining('encrypted with another key') });
    writeFileSync(key, after);
    expect(await runWoof(['secret', 'rm', 'api'], { cwd })).toMatchObject({ status: 0 });
    expect(await runWoof(['secret', 'rm', 'api'], { cwd })).toMatchObject({ status: 1 });
    expect(await runWoof(['run', 'a.yaml'], { cwd })).toMatchObject({ status: 2 });
    expect(grepFolder(cwd, VALUES)).toEqual([]);
  });

  test('set reads a pipe', async () => {
    const cwd = temporaryFolder();
    const set = (input: string, ...fields: string[]) =>
      runWoof(['secret', 'set', 'a', ...fields], { cwd, input });
    expect(await set('one value\n')).toMatchObject({
      status: 0,
      stderr: 'secret a is stored; fields: value\n',
    });
    expect(await set('me\nit\n', 'user', 'password')).toMatchObject({
      status: 0,
      stderr: 'secret a is stored; fields: user, password\n',
    });
  });

  test.each([
    [['set'], /woof secret set needs a NAME/],
    [['set', 'a b'], /is not a valid secret name/],
    [['put', 'a'], /no action "put"/],
    [['set', 'a'], /the field "value" has no value.*stdin/s],
    [['set', 'a', '--stdin'], /the field "value" has no value/],
  ])('%j is refused', async (args, message) => {
    const ran = await runWoof(['secret', ...args], { cwd: temporaryFolder() });
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringMatching(message) });
  });
});

async function leaveNoSecret(
  server: ServerProcess,
  worker: Running,
  cwd: string,
  service: EchoService,
): Promise<void> {
  const asked = (args: string[], input?: string) =>
    runWoof(args, {
      cwd,
      env: { WOOF_SERVER: server.url, WOOF_TOKEN: server.token },
      ...(input ? { input } : {}),
    });
  const missing = await ask(server, cwd, 'submit', 'leaky.yaml', '--wait', '--json');
  expect(missing).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/"api" \(bearer\): the server has no secret/),
  });
  await setSecrets((args, input) => asked(['secret', 'set', ...args, '--stdin'], input));
  await asked(['secret', 'set', 'env', '--stdin'], CANARIES.environment);
  await asked(['secret', 'set', 'lines', '--stdin'], CANARIES.file);
  const { ran, seen } = await watched(
    startWoof(['submit', 'leaky.yaml', '--wait', '--json'], {
      cwd,
      env: { WOOF_SERVER: server.url, WOOF_TOKEN: server.token },
    }),
  );
  expect(ran, ran.stderr).toMatchObject({ status: 1 });
  expectHeard(service);
  const text = await expectSilence(ran, cwd, (args) => asked(args));
  expect(text).toContain(CONTROL);
  expect(
    findIn(seen + server.stdout() + server.stderr() + worker.stdout() + worker.stderr(), VALUES),
  ).toEqual([]);
  const listed = await asked(['secret', 'list', '--json']);
  expect(findIn(listed.stdout, VALUES)).toEqual([]);
}

describe('a server with a worker', () => {
  test('leaves no secret anywhere', async () => {
    const service = await startEchoService();
    const cwd = temporaryFolder({ 'leaky.yaml': leakyPlaybook(service.url) });
    const server = await startServer(cwd, { more: ['--log-level', 'debug'] });
    const worker = await startWorker(server, cwd);
    await leaveNoSecret(server, worker, cwd, service);
    const audit = await fetch(`${server.url}/v1/audit`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    expect(await audit.text()).toContain('work.secrets');
  });
});

describeUnless(postgresReason())('a server on Postgres with a worker', () => {
  test('leaves no secret anywhere, the database included', async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.dispose());
    const service = await startEchoService();
    const cwd = temporaryFolder({ 'leaky.yaml': leakyPlaybook(service.url) });
    const server = await startServer(cwd, { more: ['--store', postgres.url()] });
    const worker = await startWorker(server, cwd);
    await leaveNoSecret(server, worker, cwd, service);
    // The runs are in the database: verbs of the directory ask its server.
    const { stdout } = await runWoof(['runs', '--data', join(cwd, 'data')], { cwd });
    expect(stdout).toContain('✗ failed');
    await postgres.stop();
    expect(grepFolder(postgres.folder, VALUES)).toEqual([]);
    expect(grepFolder(postgres.folder, [CONTROL])).not.toEqual([]);
  });
});
