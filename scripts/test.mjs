// npm test: the smoke test, a short form of it on the other supported versions of Node, then all tests beside the checks; the
// last line counts them. npm test -- PATH: only the tests there.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { otherNodes } from './nodes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const SMOKE = ['--config', 'e2e/smoke/vitest.config.ts', '--reporter=./e2e/smoke/smoke-reporter.ts'];
const SHORT = [
  'one machine',
  'a notebook (woof|the same)',
  'woof up on SQLite (starts|woof submit hello|stops)',
].join('|');
const asked = process.argv.slice(2);
const NOTHING = { passed: 0, failed: 0, skipped: 0, skips: [], again: [], slowest: [] };
const folder = mkdtempSync(join(tmpdir(), 'woof-test-'));

// First and alone, because it tells how long things take.
const runs = asked.length > 0 ? [] : [vitest('smoke', SMOKE), ...otherNodes().map(smokeOn)];
const checks = startChecks();
runs.push(vitest('tests', ['--reporter=dot', ...asked]));
const checked = await checks.ended;
console.log(readFileSync(checks.said, 'utf8'));
rmSync(folder, { recursive: true, force: true });

const slowest = runs
  .at(-1)
  .slowest.map(([seconds, file]) => `  ${seconds.toFixed(0).padStart(4)} s  ${file}`);
console.log(['slowest files:', ...slowest].join('\n'));
for (const test of runs.flatMap(({ again }) => again)) console.log(`passed on the second try: ${test}`);
for (const skip of runs.flatMap(({ skips }) => skips)) console.log(`skipped: ${skip}`);
if (checked !== 0) console.log('The checks above failed.');
const failed = sum('failed') + (checked === 0 ? 0 : 1);
console.log(`${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`);
process.exit(failed === 0 ? 0 : 1);

/** Beside the tests, which wait for other processes so often that the cores have time for it. */
function startChecks() {
  const said = join(folder, 'checks.txt');
  const output = openSync(said, 'w');
  const args = [join(root, 'scripts', 'check.mjs')];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', output, output] });
  return { said, ended: once(child, 'exit').then(([status]) => status) };
}

function smokeOn({ version, program, present }) {
  if (!present)
    return { ...NOTHING, skipped: 1, skips: [`the smoke test on Node ${version}: it is not in dist/nodes`] };
  console.log(`On Node ${version}:`);
  return vitest(`smoke-${version}`, [...SMOKE, '-t', SHORT], program);
}

/** What a run of vitest counted; one that failed without a failed test counts as one. */
function vitest(name, args, node = process.execPath) {
  const counts = join(folder, `${name}.json`);
  const reporter = `--reporter=${join(root, 'scripts', 'vitest-reporter.mjs')}`;
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const status = run(node, [program, 'run', reporter, ...args], { WOOF_TEST_COUNTS: counts });
  const counted = readCounts(counts);
  return { ...counted, failed: counted.failed || (status === 0 ? 0 : 1) };
}

function run(program, args, env = {}) {
  const stdio = ['ignore', 'inherit', 'inherit'];
  return spawnSync(program, args, { cwd: root, stdio, env: { ...process.env, ...env } }).status;
}

function sum(what) {
  return runs.reduce((total, counts) => total + counts[what], 0);
}

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { ...NOTHING, failed: 1 };
  }
}
