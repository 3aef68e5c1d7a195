/** A real npm registry on loopback, which only `npm run install-test` installs. Anybody may publish to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { root, temporaryFolder, until } from '../cli/woof.ts';
import { environment } from './npm.ts';

const VERDACCIO = join(root, 'e2e', 'install', 'verdaccio', 'node_modules', '.bin', 'verdaccio');

export async function startVerdaccio(): Promise<{ url: string; stop(): Promise<void> }> {
  const home = temporaryFolder();
  const storage = join(home, 'storage');
  mkdirSync(storage);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const rules = '{access: $all, publish: $all, unpublish: $all}';
  const config = [
    `storage: ${storage}`,
    `auth: {htpasswd: {file: ${join(home, 'htpasswd')}}}`,
    `packages: {'@woof/*': ${rules}}`,
    'max_body_size: 100mb',
    'log: {type: stdout, format: pretty, level: warn}',
  ];
  writeFileSync(join(home, 'config.yaml'), `${config.join('\n')}\n`);
  const args = [VERDACCIO, '--config', join(home, 'config.yaml'), '--listen', `127.0.0.1:${port}`];
  const child = spawn(process.execPath, args, { cwd: home, env: environment({ home }), stdio: 'ignore' });
  const ended = once(child, 'exit');
  await until(
    'the registry answers',
    async () => (await fetch(`${url}-/ping`).catch(() => undefined))?.ok === true,
  );
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
