// The static checks: format and lint, types, floating promises, unused code, programs in other languages.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Files that did not change since the last check are not checked again. */
const typesOf = (project) => {
  const cache = join('node_modules', '.cache', 'woof-types', `${project}.tsbuildinfo`);
  return ['-p', project, '--incremental', '--tsBuildInfoFile', cache];
};
const checks = [
  ['format and lint', 'biome', ['check', '.', '--error-on-warnings']],
  ['types', 'tsc', typesOf('tsconfig.json')],
  ['types of what runs in browsers', 'tsc', typesOf('tsconfig.browser.json')],
  ['floating promises', 'oxlint', ['--type-aware', '--quiet', 'packages', 'bench', 'e2e', 'conformance']],
  ['unused code', 'knip', ['--no-progress', '--cache']],
  ['programs in other languages', process.execPath, [join(root, 'scripts', 'check-programs.mjs')]],
];

const failed = checks.filter(([what, program, args]) => {
  const { status } = spawnSync(resolve(root, 'node_modules', '.bin', program), args, {
    cwd: root,
    stdio: 'inherit',
  });
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${what}`);
  return status !== 0;
});
process.exit(failed.length > 0 ? 1 : 0);
