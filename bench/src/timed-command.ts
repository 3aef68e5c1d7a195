import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const WOOF = fileURLToPath(new URL('../../bin/woof', import.meta.url));

/** How long Node takes for a whole command, in ms. */
export function timed(args: string[], cwd: string): number {
  // Certificates that Node loads at every start would obscure our own time.
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
  const started = performance.now();
  const { status } = spawnSync(process.execPath, args, { cwd, env, stdio: 'ignore' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return performance.now() - started;
}
