// npm start: runs examples/tour.yaml against a shop that this script itself serves on loopback.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const PAGES = 4;
let requests = 0;

const shop = createServer((request, response) => {
  const url = new URL(request.url, 'http://shop');
  const page = Number(url.searchParams.get('page'));
  requests += 1;
  // Every seventh request finds the shop busy, so that the retries of the playbook have something to do.
  const busy = requests % 7 === 0;
  const orders = [1, 2, 3].map((n) => ({ amount: (url.pathname.length * 7 + page * 5 + n * 3) % 50 }));
  setTimeout(() => {
    response.writeHead(busy ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(busy ? { error: 'busy' } : { orders, has_more: page < PAGES }));
  }, 80);
});

await new Promise((resolve) => shop.listen(0, '127.0.0.1', resolve));
const { port } = shop.address();
console.log(`Running examples/tour.yaml: a loop with pages and retries, a fan-out, a join.\n`);
const woof = join(root, 'bin', 'woof');
const args = [woof, 'run', 'examples/tour.yaml', '--set', `shop=http://127.0.0.1:${port}`];
const run = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
const code = await new Promise((resolve) => run.on('exit', (status) => resolve(status ?? 1)));
shop.close();
shop.closeAllConnections();
if (code === 0) {
  console.log(`
What to try next
  bin/woof show last                 every step of this run
  bin/woof events last               its log, event by event
  bin/woof graph examples/tour.yaml
  bin/woof run examples/hello.yaml
  bin/woof run examples/rain.woofnb  a notebook; run it twice
  docs/                              how playbooks work`);
}
process.exit(code);
