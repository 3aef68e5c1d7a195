/**
 * Woof over HTTP: `woof up` on SQLite, or with an address of a database as the last argument, a server and a worker as two
 * processes on Postgres.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Count, contest, pause } from './contest.mjs';
import { freePort } from './free-port.mjs';

const WOOF = fileURLToPath(new URL('../../bin/woof', import.meta.url));
const SLOTS = 64;

class Woof {
  settings = '';
  #opened = Date.now();
  #registered = {};
  #steps = new Count();

  async open(folder, postgres) {
    this.place = join(folder, 'run.json');
    const port = await freePort();
    const common = ['--listen', `127.0.0.1:${port}`, '--data', join(folder, 'server')];
    const quiet = ['--json', '--log-level', 'error', '--rate', '1000000'];
    const server = woof(folder, [
      ...(postgres ? ['server', '--store', postgres] : ['up', '--slots', SLOTS]),
      ...common,
      ...quiet,
    ]);
    Object.assign(this, await firstLine(server));
    if (postgres) this.#startWorker(folder);
    this.settings = postgres
      ? `woof server and woof worker, ${SLOTS} slots, Postgres with fsync and synchronous_commit`
      : `woof up, ${SLOTS} slots, SQLite, every commit synced`;
    while ((await this.#call('GET', '/v1/workers')).workers.length === 0) await pause(5);
    if (existsSync(this.place)) void this.#follow(readFileSync(this.place, 'utf8'));
  }

  #startWorker(folder) {
    const data = join(folder, 'worker');
    const args = ['worker', '--server', this.url, '--token', this.token, '--slots', SLOTS, '--data', data];
    woof(folder, args);
  }

  async submit(length) {
    const path = `chain-${length}`;
    this.#registered[length] ??= this.#call('POST', '/v1/documents', { path, text: playbook(length) });
    await this.#registered[length];
    return (await this.#call('POST', '/v1/executions', { path })).execution_id;
  }

  async run(length) {
    for await (const _ of this.#events(await this.submit(length)));
  }

  async ended() {
    while ((await this.#call('GET', '/v1/executions?status=running&limit=1')).executions.length > 0)
      await pause(10);
  }

  async begin(length) {
    const id = await this.submit(length);
    writeFileSync(this.place, id);
    void this.#follow(id);
  }

  reached(count) {
    return this.#steps.reaches(count);
  }

  /** Counts the steps that ended in the life of this process. */
  async #follow(id) {
    for await (const { name, timestamp } of this.#events(id))
      if (name === 'step.done' && Date.parse(timestamp) >= this.#opened) this.#steps.add();
  }

  async *#events(id) {
    const headers = { ...this.#headers(), accept: 'text/event-stream', 'last-event-id': '0' };
    const response = await fetch(`${this.url}/v1/executions/${id}/events`, { headers });
    for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
      if (line === 'event: end') return;
      if (line.startsWith('data: {')) yield JSON.parse(line.slice(6));
    }
  }

  #headers() {
    return { authorization: `Bearer ${this.token}` };
  }

  async #call(method, path, body) {
    const headers = { ...this.#headers(), 'content-type': 'application/json' };
    const more = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${this.url}${path}`, { method, headers, ...more });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
    return JSON.parse(answer);
  }
}

function woof(cwd, args) {
  return spawn(process.execPath, [WOOF, ...args.map(String)], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
}

async function firstLine(child) {
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error('the server ended before it listened');
}

function playbook(length) {
  const next = (index) => (index < length - 1 ? `, next: {arcs: [{step: s${index + 1}}]}` : '');
  const steps = Array.from(
    { length },
    (_, index) => `  - {step: s${index}, tool: {kind: noop}${next(index)}}\n`,
  );
  const head = `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: chain-${length}}\n`;
  return `${head}executor: {spec: {entry_step: s0}}\nworkflow:\n${steps.join('')}`;
}

await contest(new Woof());
