/** `woof run` and other verbs in the data directory of a server that runs. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, onTestFinished as whenOver } from 'vitest';
import { startEffectServer } from '../cli/effect-server.ts';
import { screenOf } from '../cli/screen.ts';
import { lastJson, playbook, runWoof, startWoof, temporaryFolder, until } from '../cli/woof.ts';
import { type ServerProcess, startServer } from './machines.ts';

const greet = playbook(
  `- step: start
  tool:
    kind: python
    args: {who: "{{ workload.who }}"}
    code: |
      import sys
      print("printed", who)
      if who == "nobody":
          raise ValueError("boom")
      result = {"hello": who}
`,
  'workload: {who: you}\n',
);

const held = playbook(
  `- step: start
  tool: {kind: http, url: "{{ workload.url }}/count/before"}
  next: {arcs: [{step: hold}]}
- step: hold
  tool: {kind: http, url: "{{ workload.url }}/hold/gate"}
  next: {arcs: [{step: after}]}
- step: after
  tool: {kind: http, url: "{{ workload.url }}/count/after"}
`,
  'workload: {url: ""}\n',
);

const seen = playbook('- step: start\n  tool: {kind: shell, command: ls}\n');

interface Row {
  execution_id: string;
  status: string;
  driver?: string;
}

const stages = 'name: stages\nstages:\n  - {stage_id: list, commands: [{program: ls}]}\n';

const documents = { 'greet.yaml': greet, 'held.yaml': held, 'seen.yaml': seen, 'stages.yaml': stages };
let cwd = '';
let server: ServerProcess;
beforeAll(async () => {
  cwd = temporaryFolder(documents);
  server = await startServer(cwd, { verb: 'up', data: join(cwd, '.woof') });
});

const woof = (...args: string[]) => runWoof(args, { cwd });
const newest = async () => lastJson<Row[]>(await woof('runs', '--json'))[0]!;
const lastLine = (stdout: string) =>
  lastJson<Record<string, string> & Row>({ status: 0, stderr: '', stdout });
/** Without what differs between runs. */
const plain = (text: string) => text.replaceAll(/\d{8}-\d{6}-\w+|[\d.]+ m?s/g, '…');

describe('beside `woof up`', () => {
  test.each([['Ada'], ['nobody']])(
    'run hands %s over: result, output, summary and status are the same as locally',
    async (who) => {
      const handed = await woof('run', 'greet.yaml', '--set', `who=${who}`);
      expect((await newest()).driver).toMatch(/^server-/);
      const here = await woof('run', 'greet.yaml', '--set', `who=${who}`, '--local');
      expect((await newest()).driver).toMatch(/^local-/);
      expect([handed.status, handed.stdout]).toEqual([here.status, here.stdout]);
      expect(handed.stderr).toContain(`at ${server.url}`);
      expect(handed.stderr).toContain(`printed ${who}`);
      const lines = (text: string) =>
        plain(text)
          .split('\n')
          .filter((line) => !/▶|^run /.test(line))
          .sort();
      expect(lines(handed.stderr)).toEqual(lines(here.stderr));
    },
  );

  test('a document that may use its folder runs locally, and one line says so', async () => {
    const ran = await woof('run', 'seen.yaml', '--allow', 'files,shell', '--json');
    expect(ran.stderr).toMatch(
      /^running in this process, not on the server of .*: --allow files and --allow shell/,
    );
    expect(JSON.stringify(lastJson(ran).steps.start?.result)).toContain('seen.yaml');
    expect((await woof('run', 'greet.yaml', '--limit', 'tokens=1000')).stderr).toContain(
      '--limit applies only to a run in this process',
    );
  });

  test('a document that is too large for the server runs locally, and submit says what the limit is', async () => {
    const text = `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: large}\nworkload:\n  small: 1\n`;
    const start = 'workflow: [{step: start, tool: {kind: noop, result: "{{ workload | length }}"}}]\n';
    const values = (count: number, value: string) =>
      Array.from({ length: count }, (_, n) => `  k${n}: '${value}'\n`).join('');
    const here = /^running in this process, not on the server of .*: /;
    for (const [name, given, why, args] of [
      ['text', values(50, 'x'.repeat(100_000)), 'the document has \\d+ characters', []],
      // Each of these characters becomes two in JSON.
      ['body', values(20, '"'.repeat(110_000)), 'the request has \\d+ bytes', ['--set', 'small=2']],
      ['many', values(2000, 'x'.repeat(900)), 'the values of the workload', []],
    ] as const) {
      writeFileSync(join(cwd, `large-${name}.yaml`), text + given + start);
      const ran = await woof('run', `large-${name}.yaml`, ...args, '--json');
      expect(ran.stderr).toMatch(new RegExp(here.source + why));
      expect(lastJson(ran).status).toBe('succeeded');
    }
    const refused = await woof('submit', 'large-body.yaml', '--set', 'small=2');
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/the request has \d+ bytes, and a server/),
    });
  });

  test('the server does not touch a local run, even after Ctrl-C; resume continues it', async () => {
    const effects = await startEffectServer();
    const args = ['run', 'held.yaml', '--local', '--set', `url=${effects.url}`];
    const running = startWoof(args, { cwd });
    await until('it is under way', () => effects.count('/hold/gate') === 1);
    const { execution_id: id, driver } = await newest();
    const asked = await woof('cancel', id, '--server', server.url);
    expect(asked).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`a local process (${driver}) drives`),
    });
    running.child.kill('SIGINT');
    expect((await running.ended).status).toBe(130);
    // A round of upkeep happens between these two runs of the server.
    for (const _ of [1, 2]) expect((await woof('run', 'greet.yaml')).status).toBe(0);
    expect((await woof('show', id)).stdout).toContain('no process drives the run');
    expect((await woof('server', 'status')).stdout).toContain('0 in progress, 1 interrupted, ');
    effects.release('gate');
    expect(await woof('resume', id)).toMatchObject({ status: 0 });
    expect([effects.count('/count/before'), effects.count('/count/after')]).toEqual([1, 1]);
  });

  test('verbs without --server reach the server for its runs; Ctrl-C pauses one that was handed over', async () => {
    const effects = await startEffectServer();
    const running = startWoof(['run', 'held.yaml', '--set', `url=${effects.url}`], { cwd });
    await until('it is under way', () => effects.count('/hold/gate') === 1);
    const { execution_id: id } = await newest();
    running.child.kill('SIGINT');
    const stopped = await running.ended;
    expect(stopped).toMatchObject({ status: 130, stderr: expect.stringContaining(`woof resume ${id}`) });
    expect((await newest()).status).toBe('paused');
    expect((await woof('resume', id)).stderr).toContain('resumed');
    expect((await woof('resume', id)).stderr).toContain('is already running');
    expect((await woof('cancel', id)).stderr).toContain('cancelled');
    expect((await newest()).status).toBe('cancelled');
  });

  test('verbs that need a server find it without --server and --token', async () => {
    const lines = async (...args: string[]) => {
      const ran = await woof(...args);
      expect([args, ran.status, ran.stderr]).toEqual([args, 0, expect.any(String)]);
      return ran.stdout;
    };
    const id = (await lines('submit', 'greet.yaml', '--wait', '--json').then(lastLine)).execution_id;
    expect((await lines('rerun', id, '--json').then(lastLine)).status).toBe('succeeded');
    expect(await woof('rerun', id, '--from', 'nosuch')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^error: the run has no step "nosuch"\n {2}fix: it has: /),
    });
    const misspelt = await woof('submit', 'greet.yaml', '--set', 'whoo=Ada', '--set', 'who=Ada');
    expect(misspelt.stderr).toBe(
      'warning: --set whoo: the workload declares no "whoo"; did you mean "who"?\n',
    );
    const warned = await woof('submit', 'stages.yaml', '--wait');
    expect([warned.status, warned.stderr]).toEqual([
      0,
      expect.stringContaining('warning: on a server, a stage starts in an empty directory'),
    ]);
    expect((await newest()).driver).toMatch(/^server-/);
    expect(await lines('token', 'list')).toContain('admin of this directory');
    expect(await lines('workers')).toMatch(/^NAME .*\n.* of 64 .* ready\n$/);
    expect(await lines('schedule', 'list', '--json')).toBe('[]\n');
    await lines('secret', 'set', 'api', 'token=hidden');
    const headers = { authorization: `Bearer ${server.token}` };
    const audit = await (await fetch(`${server.url}/v1/audit`, { headers })).text();
    expect(audit).toContain('secrets.put');
    const status = lastLine(await lines('server', 'status', '--json'));
    expect(status).toMatchObject({ listening: true, url: server.url, pid: server.child.pid, workers: 1 });
  });

  test('gc needs exclusive use of the directory', async () => {
    const busy = await woof('gc');
    expect(busy.status).toBe(1);
    expect(busy.stderr).toContain(`another woof process (pid ${server.child.pid}) is using`);
  });
});

test('up --detach continues in the background; a worker drains and exits; stop ends the server', async () => {
  const folder = temporaryFolder(documents);
  const here = (...args: string[]) => runWoof(args, { cwd: folder });
  const up = ['up', '--detach', '--json', '--listen', '0.0.0.0:0', '--data', '.woof'];
  interface Detached {
    url: string;
    pid: number;
    log: string;
    started: boolean;
    token: string;
    studio: string;
  }
  const started = lastJson<Detached>(await here(...up));
  whenOver(() => endIfThere(started.pid));
  expect(started.started).toBe(true);
  const { url, pid, log, token, studio } = started;
  // An address that commands and browsers can use, whatever it listens on.
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(lastJson(await here(...up))).toMatchObject({ url, pid, started: false });
  expect((await here('up', '--detach')).stderr).toContain(
    `  studio  ${url}  (for a link that signs you in, run woof server link)
  docs    ${url}/docs\n  next    woof submit FILE --wait\n`,
  );
  const printed = (await here('server', 'link')).stdout.trim();
  const { bytes } = await screenOf(['up --detach'], 200, 50, folder);
  const onTerminal = / {2}studio {2}(\S+)\r\n/.exec(bytes)?.[1] ?? '';
  const asJson = lastJson<{ studio: string }>(
    await here('server', 'link', '--json', '--token', token),
  ).studio;
  const links = [studio, printed, onTerminal, asJson];
  expect(new Set(links).size).toBe(4);
  for (const link of links) expect([link, await loginWith(link, url)]).toEqual([link, 'admin']);
  expect(await here('server', 'lnk')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('server link'),
  });
  const worker = startWoof(['worker', '--name', 'extra', '--data', 'worker-data', '--server', url], {
    cwd: folder,
    env: { WOOF_TOKEN: token },
  });
  await until('the worker is known', async () => (await here('workers')).stdout.includes('extra'));
  expect(await here('workers', 'drain', 'nobody')).toMatchObject({ status: 2 });
  expect(await here('workers', 'drain', 'extra')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('woof workers resume NAME'),
  });
  expect((await worker.ended).status).toBe(0);
  expect(await here('workers', 'resume', 'extra')).toMatchObject({ status: 2 });
  expect((await here('workers')).stdout).not.toContain('extra');
  expect(await here('server', 'stop', '--server', 'http://127.0.0.1:1')).toMatchObject({ status: 2 });
  expect((await here('server', 'status')).stdout).toContain(url);
  const logged = readFileSync(log, 'utf8');
  expect(logged).toContain('call=login.code');
  for (const secret of [token, ...links.map(codeIn)]) expect(logged).not.toContain(secret);
  expect(statSync(log).mode & 0o777).toBe(0o600);
  expect(await here('server', 'stop')).toMatchObject({ status: 0 });
  expect(() => process.kill(pid, 0)).toThrow();
  expect(await here('server', 'status')).toMatchObject({ status: 1 });
  expect(await here('server', 'stop')).toMatchObject({ status: 0 });
  const refused = await here('up', '--detach', '--listen', 'nonsense');
  expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('--listen nonsense') });
  const noStore = await here('up', '--detach', '--listen', '127.0.0.1:0', '--store', 'nonsense://here');
  expect(noStore).toMatchObject({ status: 2, stderr: expect.stringContaining('--store nonsense:') });
});

const codeIn = (link: string) => link.split('#code=')[1]!;

/** Logs in with the link as Studio does, and returns the resulting role. */
async function loginWith(link: string, url: string): Promise<string> {
  expect(link.startsWith(`${url}/#code=`)).toBe(true);
  const response = await fetch(`${url}/v1/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code: codeIn(link) }),
  });
  return ((await response.json()) as { role: string }).role;
}

function endIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended, as it should.
  }
}

test('a server that dies: the command says how to continue, and resume does so, once', async () => {
  const folder = temporaryFolder(documents);
  const dying = await startServer(folder, { verb: 'up', data: join(folder, '.woof') });
  const effects = await startEffectServer();
  const running = startWoof(['run', 'held.yaml', '--set', `url=${effects.url}`], { cwd: folder });
  await until('it is under way', () => effects.count('/hold/gate') === 1);
  // The run may reach the gate before the command learns which run it is.
  await until('the command knows its run', () => /^run \S+/m.test(running.stderr()));
  dying.child.kill('SIGKILL');
  const { status, stderr } = await running.ended;
  const command = /woof (resume \S+)/.exec(stderr)?.[1]?.split(' ') ?? [];
  expect([status, command.length]).toEqual([1, 2]);
  effects.release('gate');
  expect((await runWoof(command, { cwd: folder })).status).toBe(0);
  expect([effects.count('/count/before'), effects.count('/count/after')]).toEqual([1, 1]);
  const again = await runWoof(['run', 'greet.yaml', '--json'], { cwd: folder });
  expect(lastJson(again).status).toBe('succeeded');
});

test('a run that a command changed while its server was down belongs to the server again', async () => {
  const gate = playbook('- step: start\n  tool: {kind: gate, message: "go?", timeout_sec: 6}\n');
  const folder = temporaryFolder({ 'gate.yaml': gate });
  const options = { verb: 'up', data: join(folder, '.woof') } as const;
  const { child, ended, url, token } = await startServer(folder, options);
  const submit = ['submit', 'gate.yaml', '--json', '--server', url, '--token', token];
  const { execution_id: id } = lastJson<Row>(await runWoof(submit, { cwd: folder }));
  const row = async () => lastJson<Row>(await runWoof(['show', id, '--json'], { cwd: folder }));
  await until('it asks', async () => (await row()).status === 'needs_human');
  child.kill('SIGKILL');
  await ended;
  // A refused answer and a command that is carried out: neither takes the run from the server.
  expect((await runWoof(['approve', id, 'nowhere'], { cwd: folder })).status).not.toBe(0);
  expect((await runWoof(['pause', id], { cwd: folder })).status).toBe(0);
  await startServer(folder, options);
  expect((await runWoof(['resume', id], { cwd: folder })).status).toBe(0);
  await until('the time of its gate is up', async () => (await row()).status === 'failed');
});
