// npm test: the smoke test, then all tests, together with the checks and a short form of the smoke test on the other
// supported versions of Node. The last line counts the tests. npm test -- PATH: only the tests there, in one process.
// npm run test:fast: the rooms and the checks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { otherNodes } from './nodes.mjs';
import { verdict } from './test-verdict.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const SMOKE = ['--config', 'e2e/smoke/vitest.config.ts', '--reporter=./e2e/smoke/smoke-reporter.ts'];
const SHORT = [
  'one machine',
  'a notebook (woof|the same)',
  'woof up on SQLite (starts|woof submit hello|stops)',
].join('|');
/** One process loads the code that the rooms share only once. */
const ROOMS = ['--project=rooms', '--project=services', '--reporter=dot'];
const WHOLE = { smoke: true, tests: ['--project=e2e', '--project=alone'], beside: ROOMS };
const FAST = { tests: ['--project=rooms'] };
const VITEST = [
  join(root, 'node_modules', 'vitest', 'vitest.mjs'),
  'run',
  `--reporter=${join(root, 'scripts', 'vitest-reporter.mjs')}`,
];
const NOTHING = { passed: 0, failed: 0, skipped: 0, skips: [], again: [], slowest: [] };
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'woof-'));
const temporary = makeTemporary();

const { smoke, tests, beside } = whatToRun(process.argv.slice(2));
// First and alone, because it measures how long things take.
const runs = smoke ? [await vitest('smoke', SMOKE)] : [];
// Runs beside the tests of whole processes, which wait so often that the cores have time for this.
const started = [start('checks', [join(root, 'scripts', 'check.mjs')])];
if (beside) started.push(startVitest('rooms', beside, { WOOF_TEST_WORKERS: '2' }));
const onOthers = smoke ? smokeOnOthers() : [];
runs.push(await vitest('tests', ['--reporter=dot', ...tests]));
const [checked, rooms] = await Promise.all(started.map(finish));
if (beside) runs.push(counted('rooms', rooms));
runs.push(...(await onOthers));

const { lines, passed } = verdict({ runs, checked, left: namesIn(temporary) });
console.log(lines.join('\n'));
rmSync(folder, { recursive: true, force: true });
process.exit(passed ? 0 : 1);

function whatToRun([first, ...more]) {
  if (first === '--fast') return FAST;
  return first === undefined ? WHOLE : { tests: [first, ...more] };
}

/** A folder for this run only. Tests see it as the machine's temporary folder, in which every user may write. */
function makeTemporary() {
  const path = join(folder, 'tmp');
  mkdirSync(path);
  chmodSync(folder, 0o755);
  chmodSync(path, 0o1777);
  return path;
}

function namesIn(path) {
  return readdirSync(path).filter((name) => name.startsWith('woof-'));
}

/** Its output is kept until it has ended. */
function start(name, args, env = {}, node = process.execPath) {
  const said = join(folder, `${name}.txt`);
  const output = openSync(said, 'w');
  const stdio = ['ignore', output, output];
  return { said, ended: spawned(node, args, stdio, env) };
}

async function spawned(node, args, stdio, env) {
  const child = spawn(node, args, { cwd: root, stdio, env: { ...process.env, TMPDIR: temporary, ...env } });
  const [status] = await once(child, 'exit');
  return status;
}

async function finish({ said, ended }) {
  const status = await ended;
  console.log(readFileSync(said, 'utf8'));
  return status;
}

/** One after another. They test whether things work there, not how long they take. */
async function smokeOnOthers() {
  const runs = [];
  for (const node of otherNodes()) runs.push(await smokeOn(node));
  return runs;
}

async function smokeOn({ version, program, present }) {
  if (!present)
    return { ...NOTHING, skipped: 1, skips: [`the smoke test on Node ${version}: it is not in dist/nodes`] };
  const name = `smoke-${version}`;
  const env = { WOOF_SMOKE_UNTIMED: '1', ...countsOf(name) };
  const status = await finish(start(name, [...VITEST, ...SMOKE, '-t', SHORT], env, program));
  console.log(`That was the smoke test on Node ${version}.`);
  return counted(name, status);
}

async function vitest(name, args) {
  const stdio = ['ignore', 'inherit', 'inherit'];
  return counted(name, await spawned(process.execPath, [...VITEST, ...args], stdio, countsOf(name)));
}

function startVitest(name, args, env) {
  return start(name, [...VITEST, ...args], { ...env, ...countsOf(name) });
}

function countsOf(name) {
  return { WOOF_TEST_COUNTS: join(folder, `${name}.json`) };
}

/** The counts of a vitest run. A run that failed without a failed test counts as one failure. */
function counted(name, status) {
  const counts = readCounts(join(folder, `${name}.json`));
  return { ...counts, failed: counts.failed || (status === 0 ? 0 : 1) };
}

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { ...NOTHING, failed: 1 };
  }
}
