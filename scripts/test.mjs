// npm test: the checks, then all tests; the last line counts them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => join(root, 'node_modules', '.bin', name);
const run = (program, args, env = {}) =>
  spawnSync(program, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  }).status;

const checked = run(process.execPath, [join(root, 'scripts', 'check.mjs')]);
const folder = mkdtempSync(join(tmpdir(), 'woof-test-'));
const counts = join(folder, 'counts.json');
const reporters = ['--reporter=dot', `--reporter=${join(root, 'scripts', 'vitest-reporter.mjs')}`];
const tested = run(bin('vitest'), ['run', ...reporters, ...process.argv.slice(2)], {
  WOOF_TEST_COUNTS: counts,
});
const { passed, failed, skipped, skips, again } = readCounts();
rmSync(folder, { recursive: true, force: true });
for (const test of again) console.log(`passed on the second try: ${test}`);
for (const skip of skips) console.log(`skipped: ${skip}`);
if (checked !== 0) console.log('The checks above failed.');
const broken = checked !== 0 || (tested !== 0 && failed === 0) ? 1 : 0;
console.log(`${passed} passed, ${failed + broken} failed, ${skipped} skipped`);
process.exit(checked === 0 && tested === 0 ? 0 : 1);

function readCounts() {
  try {
    return JSON.parse(readFileSync(counts, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0, skips: [], again: [] };
  }
}
