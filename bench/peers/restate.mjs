/** Restate: its server is a process of its own, and the steps run in this one, which the server calls. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { serve, service } from '@restatedev/restate-sdk';
import { contest, pause } from './contest.mjs';
import { freePort } from './free-port.mjs';
import { LocalEngine } from './local-engine.mjs';

const PORTS = ['server', 'admin', 'ingress', 'service'];

class Restate extends LocalEngine {
  settings = 'one node, its defaults (replicated loglet, write-ahead log with fsync)';

  async open(folder) {
    const { ports, isNew } = await portsOf(folder);
    this.ingress = `http://127.0.0.1:${ports.ingress}/bench/chain`;
    startServer(folder, ports);
    await serve({ services: [this.#service()], port: ports.service, logger: () => {} });
    await answering(`http://127.0.0.1:${ports.admin}/health`);
    if (isNew)
      await post(`http://127.0.0.1:${ports.admin}/deployments`, { uri: `http://127.0.0.1:${ports.service}` });
    await answering(`http://127.0.0.1:${ports.ingress}/restate/health`);
  }

  #service() {
    const chain = async (context, length) => {
      for (let index = 0; index < length; index++) await context.run('noop', () => this.steps.add());
      this.ends.add();
    };
    return service({ name: 'bench', handlers: { chain } });
  }

  submit(length) {
    return post(`${this.ingress}/send`, length);
  }

  complete(length) {
    return post(this.ingress, length);
  }
}

/** The same after a crash: the server remembers where the service is. */
async function portsOf(folder) {
  const file = join(folder, 'ports.json');
  if (existsSync(file)) return { ports: JSON.parse(readFileSync(file, 'utf8')), isNew: false };
  const ports = {};
  for (const name of PORTS) ports[name] = await freePort();
  writeFileSync(file, JSON.stringify(ports));
  return { ports, isNew: true };
}

function startServer(folder, ports) {
  const require = createRequire(import.meta.url);
  const platform = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  const program = require.resolve(`${platform}/bin/restate-server`);
  const at = (port) => `127.0.0.1:${port}`;
  const env = {
    PATH: process.env.PATH,
    DO_NOT_TRACK: '1',
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_BASE_DIR: join(folder, 'restate'),
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_NODE_NAME: 'bench',
    RESTATE_BIND_ADDRESS: at(ports.server),
    RESTATE_ADMIN__BIND_ADDRESS: at(ports.admin),
    RESTATE_INGRESS__BIND_ADDRESS: at(ports.ingress),
    RESTATE_LOG_FILTER: 'off',
  };
  spawn(program, ['--no-logo'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function answering(url) {
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await pause(10);
}

async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
}

await contest(new Restate());
