/** npm as a first-time user has it: its own home directory, an empty cache, and at most one registry. */
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Ran, start } from '../cli/woof.ts';

export interface Npm {
  home: string;
  /** The Node executable that runs npm and what it installs. */
  node?: string;
  registry?: string;
}

export function runNpm(args: readonly string[], npm: Npm): Promise<Ran> {
  return start('npm', args, { cwd: npm.home, env: environment(npm) }).ended;
}

export function environment({ home, node = process.execPath, registry }: Npm): Record<string, string> {
  return {
    HOME: home,
    PATH: `${dirname(node)}:${process.env.PATH}`,
    npm_config_cache: join(home, 'cache'),
    npm_config_userconfig: join(home, 'npmrc'),
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_registry: registry ?? 'http://127.0.0.1:9/',
  };
}

/** The packages below a folder, and how many bytes they take. */
export function installedIn(folder: string): { packages: string[]; bytes: number } {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const packages = files
    .filter((file) => /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(file))
    .filter((file) => !/\/(bin|dist)\/package\.json$/.test(file));
  const bytes = files
    .map((file) => statSync(join(folder, file)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
  return { packages: packages.map((file) => dirname(file)), bytes };
}
