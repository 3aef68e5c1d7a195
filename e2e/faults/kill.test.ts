/**
 * kill -9 of a run while an effect is in progress, at every effect in turn: `woof resume` ends the run, what the log
 * had recorded is not repeated, and the log replays.
 *
 * An effect is a POST to a server that the test starts. The kill comes when the n-th request arrives: before the
 * response (even points) or just after it (odd points). WOOF_KILL_POINTS=200 takes longer and tries more points. The
 * same is tested with several runs in one data directory, some of which are killed: the others are not affected.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { type Account, Folder } from '../playbook/run-playbook.ts';

const WOOF = fileURLToPath(new URL('../../bin/woof', import.meta.url));
const POINTS = Number(process.env.WOOF_KILL_POINTS ?? 9);
const EFFECTS = 27;

const PLAYBOOK = `apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: effects}
workload: {server: ""}
workflow:
  - step: start
    tool:
      - first: {kind: http, method: POST, url: "{{ workload.server }}/first"}
      - pages:
          kind: http
          method: POST
          url: "{{ workload.server }}/page/{{ iter.page | default(1) }}"
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'ok' and (iter.page | default(1)) < 5 }}"
                  then: {do: jump, to: pages, set_iter: {page: "{{ (iter.page | default(1)) + 1 }}"}}
                - when: "{{ outcome.status == 'error' }}"
                  then: {do: fail}
                - else: {then: {do: continue}}
    next: {arcs: [{step: wide}]}
  - step: wide
    loop: {in: "{{ range(10) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 3}}
    tool:
      - one: {kind: http, method: POST, url: "{{ workload.server }}/one/{{ iter.n }}"}
      - two:
          kind: http
          method: POST
          url: "{{ workload.server }}/two/{{ iter.n }}"
          spec: {policy: {rules: [{when: "{{ outcome.status == 'ok' }}", then: {do: continue, set_shared: {done: {sum: 1}}}}, {else: {then: {do: fail}}}]}}
    next: {arcs: [{step: end}]}
  - step: end
    tool: {kind: http, method: POST, url: "{{ workload.server }}/end/{{ ctx.done }}"}
`;

interface Effects {
  url: string;
  /** \`<key> <path>\` in the order of arrival. */
  seen: string[];
  onRequest(count: number, answer: () => void, path: string): void;
  close(): void;
}

async function effectServer(): Promise<Effects> {
  const effects: Effects = { url: '', seen: [], onRequest: (_count, answer) => answer(), close: () => {} };
  const server: Server = createServer((request, response) => {
    effects.seen.push(`${request.headers['idempotency-key']} ${request.url}`);
    request.resume();
    effects.onRequest(
      effects.seen.length,
      () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{}');
      },
      request.url ?? '',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  effects.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  effects.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return effects;
}

const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.dispose();
});

function start(folder: Folder, url: string, file = folder.write('effects.yaml', PLAYBOOK)): ChildProcess {
  return spawn(process.execPath, [WOOF, 'run', file, '--set', `server=${url}`, '--json'], {
    cwd: folder.path,
    stdio: 'ignore',
  });
}

const ended = (child: ChildProcess) => new Promise<void>((resolve) => child.on('exit', () => resolve()));

async function recordedIn(folder: Folder, run: string): Promise<string[]> {
  return (await folder.events(run))
    .filter((event) => event.name === 'task.done')
    .map((event) => `${event.execution_id}/${event.task_run_id}/${event.attempt}`);
}

async function killAt(point: number, folder: Folder, effects: Effects): Promise<void> {
  const child = start(folder, effects.url);
  effects.onRequest = (count, answer) => {
    if (count < point) answer();
    else if (count === point) {
      if (point % 2 === 1) answer();
      child.kill('SIGKILL');
    }
  };
  await ended(child);
  effects.onRequest = (_count, answer) => answer();
}

it.each(Array.from({ length: POINTS }, (_, index) => 1 + Math.floor((index * EFFECTS) / POINTS)))(
  'killed at effect %i, it continues and repeats nothing that was recorded',
  async (point) => {
    const folder = new Folder();
    folders.push(folder);
    const effects = await effectServer();
    await killAt(point, folder, effects);
    const before = effects.seen.length;
    const recorded = await recordedIn(folder, 'last');
    const resumed = await folder.woof('resume', 'last', '--json');
    effects.close();
    expect(resumed.stderr).not.toMatch(/internal/);
    const account = JSON.parse(resumed.stdout.trim().split('\n').at(-1)!) as Account;
    expect(account.status).toBe('succeeded');
    const repeated = effects.seen.slice(before).map((seen) => seen.split(' ')[0]);
    expect(repeated.filter((key) => recorded.includes(key!))).toEqual([]);
    expect(new Set(effects.seen).size).toBe(EFFECTS);
    expect(effects.seen.at(-1)).toMatch(/\/end\/10$/);
  },
);

/** Answers no effect before `refusals` of the commands were refused: no run ends before its second `resume` came. */
async function whileHeld(
  effects: Awaited<ReturnType<typeof effectServer>>,
  refusals: number,
  commands: () => ReturnType<Folder['woof']>[],
) {
  const held: (() => void)[] = [];
  effects.onRequest = (_count, answer) => held.push(answer);
  let refused = 0;
  const ends = commands().map(async (command) => {
    const end = await command;
    refused += end.code === 1 ? 1 : 0;
    if (refused === refusals) {
      effects.onRequest = (_count, answer) => answer();
      for (const answer of held.splice(0)) answer();
    }
    return end;
  });
  return Promise.all(ends);
}

/** By run: the effect at which it is killed, or undefined. */
const KILLED_AT = [undefined, 3, undefined, 12, undefined, 26];

it('some of several runs in one directory are killed: all end, once, and of two that resume a run one gets it', async () => {
  const folder = new Folder();
  folders.push(folder);
  const effects = await effectServer();
  const counts = KILLED_AT.map(() => 0);
  effects.onRequest = (_count, answer, path) => {
    const run = Number(path.split('/')[1]);
    counts[run]! += 1;
    if (counts[run] === KILLED_AT[run]) children[run]!.kill('SIGKILL');
    else answer();
  };
  const file = folder.write('effects.yaml', PLAYBOOK);
  const children = KILLED_AT.map((_, run) => start(folder, `${effects.url}/${run}`, file));
  await Promise.all(children.map(ended));
  const before = effects.seen.length;
  const left = JSON.parse((await folder.woof('runs', '--status', 'running', '--json')).stdout) as Account[];
  expect(left).toHaveLength(KILLED_AT.filter(Boolean).length);
  const recorded = await Promise.all(left.map(({ execution_id }) => recordedIn(folder, execution_id)));
  const resumes = left.flatMap(({ execution_id: id }) => [id, id]);
  const ends = await whileHeld(effects, left.length, () =>
    resumes.map((id) => folder.woof('resume', id, '--json')),
  );
  effects.close();
  expect(ends.map(({ code }) => code).sort()).toEqual([0, 0, 0, 1, 1, 1]);
  expect(ends.filter(({ code }) => code === 1).map(({ stdout }) => JSON.parse(stdout).ok)).toEqual([
    false,
    false,
    false,
  ]);
  const runs = JSON.parse((await folder.woof('runs', '--json')).stdout) as Account[];
  expect(runs.map(({ status }) => status)).toEqual(KILLED_AT.map(() => 'succeeded'));
  const repeated = effects.seen.slice(before).map((seen) => seen.split(' ')[0]!);
  expect(repeated.filter((key) => recorded.flat().includes(key))).toEqual([]);
  expect(new Set(effects.seen).size).toBe(EFFECTS * KILLED_AT.length);
  const again = effects.seen.length - new Set(effects.seen).size;
  expect(again).toBeGreaterThan(0);
  for (const { execution_id } of runs) {
    const done = await recordedIn(folder, execution_id);
    expect(new Set(done).size).toBe(done.length);
  }
});
