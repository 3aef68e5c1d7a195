// npm start: runs the notebook examples/tour.woofnb twice. npm start -- playbook: runs examples/tour.yaml.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withShop } from './tour-shop.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const WOOF = join(root, 'bin', 'woof');
const NOTEBOOK = 'examples/tour.woofnb';
const STUDIO = `
To see your runs in a browser, start Studio with bin/woof up and open the link that it prints.`;

process.exit(await (process.argv[2] === 'playbook' ? playbook() : notebook()));

async function notebook() {
  const flags = sandboxFlags();
  say(
    `Running ${NOTEBOOK}: data, Python, JavaScript, tests and a chart, each cell after the cells that it depends on.\n`,
  );
  const first = await woof('run', NOTEBOOK, '--no-cache', ...flags);
  if (first.code !== 0) return first.code;
  say('\nOnce more: nothing has changed, so nothing runs.\n');
  const second = await woof('run', NOTEBOOK, ...flags);
  if (second.code !== 0) return second.code;
  say('\nWhy? (woof why examples/tour.woofnb)\n');
  await woof('why', NOTEBOOK);
  say(`
The first run took ${seconds(first)}, the second ${seconds(second)}. Woof keeps the result of each cell in a
cache, and runs a cell again only if something that it depends on has changed: its text, earlier cells, parameters,
permissions or the interpreter. The outputs are in ${NOTEBOOK}.out, and the chart is in
examples/artifacts/chart/chart.svg.

What to try next
  bin/woof run ${NOTEBOOK} --set goal=30   change a parameter: every cell runs again, and a test fails
  bin/woof test ${NOTEBOOK}                run only the tests and the cells that they depend on
  bin/woof graph ${NOTEBOOK}
  bin/woof export ${NOTEBOOK} --ipynb tour.ipynb
  npm start -- playbook                              run a playbook: a loop, retries, a fan-out, a join
  bin/woof show last                                 show every step of the latest run
  docs/                                              read the documentation, or see it at /docs of woof up
${STUDIO}`);
  return 0;
}

async function playbook() {
  say('Running examples/tour.yaml: a loop with pages and retries, a fan-out, a join.\n');
  const { code } = await withShop((url) => woof('run', 'examples/tour.yaml', '--set', `shop=${url}`));
  if (code !== 0) return code;
  say(`
What to try next
  bin/woof show last                 show every step of this run
  bin/woof events last               print its log, event by event
  bin/woof graph examples/tour.yaml
  bin/woof run examples/hello.yaml
${STUDIO}`);
  return 0;
}

/** The tour's notebook is our own, so it may run on a machine without a sandbox. Other people's notebooks may not. */
function sandboxFlags() {
  const { stdout } = spawnSync(process.execPath, [WOOF, 'doctor', '--json'], { cwd: root, encoding: 'utf8' });
  const sandbox = JSON.parse(stdout || '{}').findings?.find(({ name }) => name === 'Sandbox');
  if (!sandbox || sandbox.status === 'ok') return [];
  say(`This machine has no sandbox (${sandbox.found}), so the tour runs with --no-sandbox.\n`);
  return ['--no-sandbox'];
}

async function woof(...args) {
  const started = performance.now();
  const run = spawn(process.execPath, [WOOF, ...args], { cwd: root, stdio: 'inherit' });
  const code = await new Promise((resolve) => run.on('exit', (status) => resolve(status ?? 1)));
  return { code, ms: performance.now() - started };
}

function seconds({ ms }) {
  return `${(ms / 1000).toFixed(1)} s`;
}

function say(text) {
  console.log(text);
}
