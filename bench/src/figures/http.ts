/**
 * 10,000 requests by tasks of a loop, each with its history on disk, beside a bare loop of undici with as many at once. The
 * server is a process of its own, and both go over kept connections.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { Plan } from '@woof/net';
import type * as Undici from 'undici';
import { openBenchEngine } from '../bench-engine.ts';
import { fanOut } from '../bench-plan.ts';
import { type Figure, median } from '../figure.ts';

const TASKS = 10_000;
const AT_ONCE = 100;
/** A second engine in one process has most of the code compiled anew, so one round does not warm it up. */
const WARM_UP_ROUNDS = 3;
const ROUNDS = 7;

const SERVER = `require('node:http').createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"ok":true}');
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

// The one that the tool uses.
const { Agent, fetch, request } = createRequire(import.meta.url)('undici') as typeof Undici;

export async function httpFigures(): Promise<Figure[]> {
  const server = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const url = `http://127.0.0.1:${await firstLine(server)}/`;
    for (let round = 0; round < WARM_UP_ROUNDS; round++) {
      await bare(url, TASKS, byRequest);
      await byTasks(url, TASKS);
      await bare(url, TASKS, byFetch);
    }
    const rounds: { tasks: number; request: number; fetch: number }[] = [];
    for (let round = 0; round < ROUNDS; round++)
      rounds.push({
        request: await bare(url, TASKS, byRequest),
        tasks: await byTasks(url, TASKS),
        fetch: await bare(url, TASKS, byFetch),
      });
    const beside = (which: 'request' | 'fetch') => median(rounds.map((round) => round.tasks / round[which]));
    const note = `${Math.round((TASKS / median(rounds.map(({ tasks }) => tasks))) * 1000)} tasks/s`;
    const name = '10,000 http tasks beside undici’s';
    return [
      { name: `${name} request`, value: beside('request'), unit: '×', atMost: 1.5, note },
      { name: `${name} fetch`, value: beside('fetch'), unit: '×' },
    ];
  } finally {
    server.kill('SIGKILL');
  }
}

type Get = (url: string, dispatcher: Undici.Agent) => Promise<unknown>;

const byRequest: Get = async (url, dispatcher) => (await request(url, { dispatcher })).body.json();
const byFetch: Get = async (url, dispatcher) => (await fetch(url, { dispatcher })).json();

async function bare(url: string, count: number, get: Get): Promise<number> {
  const dispatcher = new Agent();
  const started = performance.now();
  let left = count;
  const one = async () => {
    while (left-- > 0) await get(url, dispatcher);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  const ms = performance.now() - started;
  await dispatcher.close();
  return ms;
}

async function byTasks(url: string, count: number): Promise<number> {
  const bench = openBenchEngine();
  const started = performance.now();
  await bench.engine.finished(await bench.start(planOf(url, count)));
  const ms = performance.now() - started;
  await bench.close();
  return ms;
}

function planOf(url: string, count: number): Plan {
  const plan = fanOut(count, AT_ONCE);
  plan.steps[0]!.tasks[0] = { label: 'get', kind: 'http', at: [1, 1], input: { url }, spec: {} };
  return plan;
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error('the server ended before it listened');
}
