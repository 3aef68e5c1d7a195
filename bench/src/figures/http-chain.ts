/**
 * A chain of requests by `woof run`, as a whole command: each is durable before the next is sent. Beside it, the least
 * that any program can do: a loop that syncs a page and sends a request, in a Node process that is just as new.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Figure, median } from '../figure.ts';
import { chain } from '../machines.ts';
import { timed, WOOF } from '../timed-command.ts';
import { syncRate } from './disk.ts';

const STEPS = 1000;
const ROUNDS = 5;
const SERVER = `require('node:http').createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"ok":true}');
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

const BARE = `const [port, count] = process.argv.slice(1).map(Number);
const { fdatasyncSync, fsyncSync, openSync, writeSync } = require('node:fs');
const { Agent, get } = require('node:http');
const agent = new Agent({ keepAlive: true });
const file = openSync('bare.bin', 'w');
const page = Buffer.alloc(4096, 1);
for (let place = 0; place < 256; place++) writeSync(file, page, 0, 4096, place * 4096);
fsyncSync(file);
const ask = () => new Promise((resolve, reject) => {
  const answered = (response) => {
    let text = '';
    response.on('data', (chunk) => { text += chunk; });
    response.on('end', () => resolve(JSON.parse(text)));
  };
  get({ host: '127.0.0.1', port, agent }, answered).on('error', reject);
});
(async () => {
  for (let step = 0; step < count; step++) {
    writeSync(file, page, 0, 4096, (step % 256) * 4096);
    fdatasyncSync(file);
    await ask();
  }
  agent.destroy();
})();`;

export async function httpChainFigures(): Promise<Figure[]> {
  const server = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const folder = mkdtempSync(join(tmpdir(), 'woof-http-chain-'));
  try {
    const [port] = await once(createInterface({ input: server.stdout }), 'line');
    writeFileSync(
      join(folder, 'one.yaml'),
      chain('one', 1, `{kind: http, url: "http://127.0.0.1:${port}/"}`),
    );
    writeFileSync(
      join(folder, 'chain.yaml'),
      chain('chain', STEPS, `{kind: http, url: "http://127.0.0.1:${port}/"}`),
    );
    return figures(folder, Number(port));
  } finally {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function figures(folder: string, port: number): Figure[] {
  const run = (file: string, round: number) =>
    timed([WOOF, 'run', file, '--data', `${file}-${round}`], folder);
  const starts: number[] = [];
  const bare: number[] = [];
  const loops: number[] = [];
  const loop = (steps: number) => timed(['-e', BARE, String(port), String(steps)], folder);
  const rate = (long: number, short: number) => ((STEPS - 1) / (long - short)) * 1000;
  const rates = Array.from({ length: ROUNDS }, (_, round) => {
    bare.push(timed(['-e', '0'], folder));
    loops.push(rate(loop(STEPS), loop(1)));
    const start = run('one.yaml', round);
    starts.push(start);
    return rate(run('chain.yaml', round), start);
  });
  const note = `without its start-up; disk ${Math.round(syncRate())} fdatasync/s`;
  const value = median(rates);
  const least = median(loops);
  const one = median(starts);
  return [
    { name: 'chain of 1,000 http steps, woof run', value, unit: 'steps/s', atLeast: 1500, aim: 3000, note },
    {
      name: 'the same beside a bare loop',
      value: least / value,
      unit: '×',
      note: `a sync and a request, nothing else: ${Math.round(least)} steps/s`,
    },
    { name: 'woof run of one http step', value: one, unit: 'ms' },
    { name: 'woof run of http beside node', value: one / median(bare), unit: '×', atMost: 5 },
  ];
}
