/** A chain of requests by `woof run`, as a whole command: each is durable before the next is sent. */
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
    return figures(folder);
  } finally {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function figures(folder: string): Figure[] {
  const run = (file: string, round: number) =>
    timed([WOOF, 'run', file, '--data', `${file}-${round}`], folder);
  const starts: number[] = [];
  const bare: number[] = [];
  const rates = Array.from({ length: ROUNDS }, (_, round) => {
    bare.push(timed(['-e', '0'], folder));
    const start = run('one.yaml', round);
    starts.push(start);
    return ((STEPS - 1) / (run('chain.yaml', round) - start)) * 1000;
  });
  const note = `without its start-up; disk ${Math.round(syncRate())} fdatasync/s`;
  const value = median(rates);
  const one = median(starts);
  return [
    { name: 'chain of 1,000 http steps, woof run', value, unit: 'steps/s', atLeast: 1500, aim: 3000, note },
    { name: 'woof run of one http step', value: one, unit: 'ms' },
    { name: 'woof run of http beside node', value: one / median(bare), unit: '×', atMost: 5 },
  ];
}
