/**
 * 10,000 requests by the tasks of a loop, each with its history on disk, compared with a plain undici loop with as many
 * at once: as whole programs, as people run them, and warm in one process. The server is a separate process, and all
 * connections are kept alive.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Plan } from '@woof/net';
import type * as Undici from 'undici';
import { openBenchEngine } from '../bench-engine.ts';
import { fanOut } from '../bench-plan.ts';
import { type Figure, median } from '../figure.ts';
import { timed, WOOF } from '../timed-command.ts';

const TASKS = 10_000;
const AT_ONCE = 100;
/** A second engine in one process has most of its code compiled again, so one round does not warm it up. */
const WARM_UP_ROUNDS = 3;
const ROUNDS = 7;

const SERVER = `let count = 0;
require('node:http').createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(request.url === '/count' ? String(count) : (count += 1, '{"ok":true}'));
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

const PROGRAM = `const [undici, url, which] = process.argv.slice(2);
const { Agent, fetch, request } = require(undici);
const dispatcher = new Agent();
let left = ${TASKS};
const one = async () => {
  while (left-- > 0) {
    if (which === 'fetch') await (await fetch(url, { dispatcher })).json();
    else await (await request(url, { dispatcher })).body.json();
  }
};
Promise.all(Array.from({ length: ${AT_ONCE} }, one)).then(() => dispatcher.close());
`;

const playbook = (url: string) => `apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: requests, path: requests}
workflow:
  - step: start
    loop: {in: "{{ range(${TASKS}) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: ${AT_ONCE}}}
    tool: {kind: http, url: "${url}"}
`;

// The same undici that the tool uses.
const require = createRequire(import.meta.url);
const { Agent, fetch, request } = require('undici') as typeof Undici;

type Round = Record<'tasks' | 'request' | 'fetch', number>;

export async function httpFigures(): Promise<Figure[]> {
  const server = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const url = `http://127.0.0.1:${await firstLine(server)}/`;
    const whole = await programs(url);
    const warm = await inOneProcess(url);
    return [...figures('10,000 http tasks', whole), ...figures('the same, both warm', warm)];
  } finally {
    server.kill('SIGKILL');
  }
}

function figures(name: string, rounds: Round[]): Figure[] {
  const beside = (which: 'request' | 'fetch') => median(rounds.map((round) => round.tasks / round[which]));
  const note = `${Math.round((TASKS / median(rounds.map(({ tasks }) => tasks))) * 1000)} tasks/s`;
  return [
    { name: `${name} beside undici’s request`, value: beside('request'), unit: '×', atMost: 1.5, note },
    { name: `${name} beside undici’s fetch`, value: beside('fetch'), unit: '×' },
  ];
}

/** A new process each time, measured from start to exit. */
async function programs(url: string): Promise<Round[]> {
  const folder = mkdtempSync(join(tmpdir(), 'woof-http-'));
  writeFileSync(join(folder, 'requests.yaml'), playbook(url));
  writeFileSync(join(folder, 'requests.cjs'), PROGRAM);
  const bare = (which: string) => timed(['requests.cjs', require.resolve('undici'), url, which], folder);
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await countOf(url);
    rounds.push({
      request: bare('request'),
      tasks: timed([WOOF, 'run', 'requests.yaml', '--data', `run-${round}`], folder),
      fetch: bare('fetch'),
    });
    const made = (await countOf(url)) - before;
    if (made !== 3 * TASKS) throw new Error(`${made} requests came, not ${3 * TASKS}`);
  }
  rmSync(folder, { recursive: true });
  return rounds;
}

/** Uses a new connection, because the server closes one that is idle for long. */
async function countOf(url: string): Promise<number> {
  return Number(await (await fetch(`${url}count`, { headers: { connection: 'close' } })).text());
}

async function inOneProcess(url: string): Promise<Round[]> {
  const pairs: Omit<Round, 'fetch'>[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++)
    pairs.push({ request: await bare(url, byRequest), tasks: await byTasks(url) });
  // Measured separately: it leaves so much garbage that whatever follows pays for some of it.
  const fetches: number[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) fetches.push(await bare(url, byFetch));
  return pairs.map((pair, round) => ({ ...pair, fetch: fetches[round]! })).slice(WARM_UP_ROUNDS);
}

type Get = (url: string, dispatcher: Undici.Agent) => Promise<unknown>;

const byRequest: Get = async (url, dispatcher) => (await request(url, { dispatcher })).body.json();
const byFetch: Get = async (url, dispatcher) => (await fetch(url, { dispatcher })).json();

async function bare(url: string, get: Get): Promise<number> {
  const dispatcher = new Agent();
  const started = performance.now();
  let left = TASKS;
  const one = async () => {
    while (left-- > 0) await get(url, dispatcher);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  const ms = performance.now() - started;
  await dispatcher.close();
  return ms;
}

async function byTasks(url: string): Promise<number> {
  const bench = openBenchEngine();
  const started = performance.now();
  await bench.engine.finished(await bench.start(planOf(url)));
  const ms = performance.now() - started;
  await bench.close();
  return ms;
}

function planOf(url: string): Plan {
  const plan = fanOut(TASKS, AT_ONCE);
  plan.steps[0]!.tasks[0] = { label: 'get', kind: 'http', at: [1, 1], input: { url }, spec: {} };
  return plan;
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error('the server ended before it listened');
}
