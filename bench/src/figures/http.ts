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
const ROUNDS = 3;

const SERVER = `require('node:http').createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"ok":true}');
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

// The one that the tool uses.
const { Agent, request } = createRequire(import.meta.url)('undici') as typeof Undici;

export async function httpFigures(): Promise<Figure[]> {
  const server = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const url = `http://127.0.0.1:${await firstLine(server)}/`;
    await bare(url, 2000);
    await byTasks(url, 2000);
    const ratios: number[] = [];
    let rate = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const [alone, tasks] = [await bare(url, TASKS), await byTasks(url, TASKS)];
      ratios.push(tasks / alone);
      rate = (TASKS / tasks) * 1000;
    }
    const note = `${Math.round(rate)} tasks/s`;
    return [{ name: '10,000 http tasks beside undici', value: median(ratios), unit: '×', atMost: 1.5, note }];
  } finally {
    server.kill('SIGKILL');
  }
}

async function bare(url: string, count: number): Promise<number> {
  const dispatcher = new Agent();
  const started = performance.now();
  let left = count;
  const one = async () => {
    while (left-- > 0) await (await request(url, { dispatcher })).body.json();
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
