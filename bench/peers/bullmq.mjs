/** BullMQ on Redis, which syncs its file on each write. A chain is a job per step, which adds the next one. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Queue, Worker } from 'bullmq';
import { Count, contest, pause } from './contest.mjs';
import { freePort } from './free-port.mjs';
import { LocalEngine } from './local-engine.mjs';

const STALLED_MS = 5000;

class BullMq extends LocalEngine {
  settings = `worker in the client process, concurrency 64, stalled after ${STALLED_MS} ms (default 30,000); ${redis()}, appendfsync always`;

  async open(folder) {
    const connection = { host: '127.0.0.1', port: await startRedis(folder) };
    this.queue = new Queue('bench', { connection });
    this.worker = new Worker('bench', ({ data }) => this.step(data), {
      connection,
      concurrency: 64,
      lockDuration: STALLED_MS,
      stalledInterval: STALLED_MS,
    });
    await this.worker.waitUntilReady();
  }

  async step({ left, id }) {
    this.steps.add();
    if (left > 1) return void (await this.queue.add('step', { left: left - 1, id }));
    this.ends.add();
    this.completions?.get(id)?.add();
  }

  submit(length, id) {
    return this.queue.add('step', { left: length, id });
  }

  async complete(length) {
    this.completions ??= new Map();
    const id = String(Math.random());
    const completion = new Count();
    this.completions.set(id, completion);
    await this.submit(length, id);
    await completion.reaches(1);
    this.completions.delete(id);
  }
}

function redis() {
  return spawnSync('redis-server', ['--version'], { encoding: 'utf8' })
    .stdout.split(' ')
    .slice(0, 3)
    .join(' ');
}

async function startRedis(folder) {
  const port = await freePort();
  const dir = join(folder, 'redis');
  mkdirSync(dir, { recursive: true });
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir];
  spawn('redis-server', [...place, ...durable], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ping = () => spawnSync('redis-cli', ['-p', String(port), 'ping'], { encoding: 'utf8' }).stdout;
  while (ping()?.trim() !== 'PONG') await pause(10);
  return port;
}

await contest(new BullMq());
