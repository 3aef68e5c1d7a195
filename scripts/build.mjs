// Bundles what runs: the command line (dist/cli) and the benchmarks (dist/bench).
import { readFileSync, rmSync } from 'node:fs';
import { rolldown } from 'rolldown';

const root = new URL('..', import.meta.url).pathname;
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

async function bundle(input, folder) {
  const build = await rolldown({
    input,
    platform: 'node',
    cwd: root,
    external: ['@photostructure/sqlite', 'undici'],
    transform: { define: { WOOF_VERSION: JSON.stringify(version) } },
    logLevel: 'warn',
  });
  rmSync(`${root}dist/${folder}`, { recursive: true, force: true });
  await build.write({
    dir: `${root}dist/${folder}`,
    format: 'esm',
    minify: process.argv.includes('--bench') ? false : true,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await build.close();
}

await bundle({ woof: 'packages/cli/src/main.ts' }, 'cli');
if (process.argv.includes('--bench')) await bundle({ bench: 'bench/src/main.ts' }, 'bench');
