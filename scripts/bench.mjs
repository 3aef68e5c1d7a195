// npm run bench [-- NAME…] [--json]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const bench = fileURLToPath(new URL('../dist/bench/bench.mjs', import.meta.url));
process.exit(
  spawnSync(process.execPath, [bench, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1,
);
