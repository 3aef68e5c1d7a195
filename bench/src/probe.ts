import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type * as Undici from 'undici';
import { openBenchEngine } from './bench-engine.ts';
import { fanOut } from './bench-plan.ts';

const { Agent, request } = createRequire(import.meta.url)('undici') as typeof Undici;
const SERVER = `require('node:http').createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"ok":true}');
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;
const server = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
let url = '';
for await (const line of createInterface({ input: server.stdout! })) {
  url = `http://127.0.0.1:${line}/`;
  break;
}
const N = 10_000;
const best = new Map<string, number[]>();
async function timed(name: string, body: () => Promise<void>) {
  const c0 = process.cpuUsage();
  const t = performance.now();
  await body();
  const ms = performance.now() - t;
  const c = process.cpuUsage(c0);
  const us = (ms * 1000) / N;
  const cu = (c.user + c.system) / N;
  const b = best.get(name) ?? [1e9, 1e9];
  best.set(name, [Math.min(b[0], us), Math.min(b[1], cu)]);
  if (process.env.V)
    console.log(
      name.padEnd(12),
      ms.toFixed(0).padStart(6),
      'ms',
      'cpu',
      ((c.user + c.system) / 1000).toFixed(0),
      'us/task',
      ((ms * 1000) / N).toFixed(1),
    );
}
const dispatcher = new Agent();
const bare = async () => {
  let left = N;
  const one = async () => {
    while (left-- > 0) await (await request(url, { dispatcher })).body.json();
  };
  await Promise.all(Array.from({ length: 100 }, one));
};
const kind = (k: string) => async () => {
  let commits = 0,
    cms = 0;
  const bench = openBenchEngine({
    onCommit: (f) => {
      commits++;
      cms += f.ms;
    },
  });
  const plan = fanOut(N, 100);
  plan.steps[0]!.tasks[0] = {
    label: 'get',
    kind: k,
    at: [1, 1],
    input: k === 'http' ? { url } : {},
    spec: {},
  };
  await bench.engine.finished(await bench.start(plan));
  if (process.env.SHOW) {
    const fs = await import('node:fs');
    fs.cpSync(bench.folder, '/tmp/w4/show', { recursive: true });
  }
  await bench.close();
  if (process.env.V) console.log('   commits', commits, 'ms in store', cms.toFixed(0));
};

import { createTools } from '@woof/tools';

const tools = createTools({ runs: '/tmp' });
const tool = tools.get('http')!;
const alone = async () => {
  let left = N;
  const one = async () => {
    while (left-- > 0) {
      const c = new AbortController();
      await tool.run(
        {
          input: { url },
          spec: {},
          idempotencyKey: 'a',
          executionId: 'x',
          step: 's',
          fence: 1,
          attempt: 1,
          lost: 0,
          workdir: '.',
        },
        {
          signal: c.signal,
          blobs: {} as never,
          now: Date.now,
          log() {},
          granted: {} as never,
          sandbox: true,
        },
      );
    }
  };
  await Promise.all(Array.from({ length: 100 }, one));
};
const pool = new Agent();
const raw = async () => {
  let left = N;
  const { origin, pathname } = new URL(url);
  const once = () =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      pool.dispatch(
        { origin, path: pathname, method: 'GET' },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData(_c, b) {
            chunks.push(b);
          },
          onResponseEnd() {
            resolve(JSON.parse(chunks[0]!.toString()));
          },
          onResponseError(_c, e) {
            reject(e);
          },
        },
      );
    });
  const one = async () => {
    while (left-- > 0) await once();
  };
  await Promise.all(Array.from({ length: 100 }, one));
};
const which = process.argv.slice(2);
for (let i = 0; i < Number(process.env.ROUNDS ?? 4); i++) {
  if (!which.length || which.includes('bare')) await timed('bare', bare);
  if (!which.length || which.includes('alone')) await timed('alone', alone);
  if (!which.length || which.includes('raw')) await timed('raw', raw);
  for (const k of ['noop', 'effect', 'http']) if (!which.length || which.includes(k)) await timed(k, kind(k));
}
await dispatcher.close();
server.kill('SIGKILL');
for (const [k, [w, c]] of best) console.log(k.padEnd(8), 'wall', w!.toFixed(1), 'cpu', c!.toFixed(1));
process.exit(0);
