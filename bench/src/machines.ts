/** A server and workers over HTTP, each in its own process, as people run them, and documents for them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, followEvents } from '@woof/client';
import type { Envelope } from '@woof/net';
import { WOOF } from './timed-command.ts';

export interface MachinesOptions {
  /** Separate processes. If 0, the worker is in the server's process (`woof up`), unless the server is `alone`. */
  workers: number;
  /** Jobs wait, because nobody performs them. */
  alone?: boolean;
  /** On one store, with the workers divided among them; 1 by default. */
  servers?: number;
  slots?: number;
  /** The address of a database; SQLite by default. */
  store?: string;
  /** The documents to register, by path. */
  documents: Record<string, string>;
  /** For the server. */
  nodeOptions?: string;
  /** Fills the data directory of the server before it starts. */
  prepare?: (data: string) => Promise<void>;
}

export interface Machines {
  client: Client;
  server: ChildProcess;
  /** One per server; `client` is the first. */
  clients: Client[];
  /** The working directory of all of them. */
  folder: string;
}

/** Stops them when `use` is done. */
export async function withMachines<T>(
  options: MachinesOptions,
  use: (machines: Machines) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'woof-bench-'));
  const children: ChildProcess[] = [];
  const end = () => {
    for (const child of children) child.kill('SIGKILL');
  };
  process.once('exit', end);
  try {
    return await use(await boot(options, folder, children));
  } finally {
    end();
    process.off('exit', end);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function boot(options: MachinesOptions, folder: string, children: ChildProcess[]): Promise<Machines> {
  const { workers, slots = 64, alone = false, servers = 1, documents } = options;
  const woof: Start = (args, env = process.env) => {
    const child = spawn(process.execPath, [WOOF, ...args], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return child;
  };
  const started = [await startServer(options, join(folder, 'server'), woof)];
  for (let index = 1; index < servers; index++)
    started.push(await startServer(options, join(folder, `server-${index}`), woof));
  const { server, token } = started[0]!;
  const clients = started.map(({ url }) => new Client({ url, token }));
  for (let index = 0; index < workers; index++) {
    const data = join(folder, `worker-${index}`);
    const { url } = started[index % servers]!;
    woof(['worker', '--server', url, '--token', token, '--slots', String(slots), '--data', data]);
  }
  const client = clients[0]!;
  for (const [path, text] of Object.entries(documents))
    await client.call('documents.register', { body: { text, path } });
  const expected = alone ? 0 : Math.max(workers, 1);
  while ((await client.call('workers.list')).workers.length < expected) await pause(20);
  return { client, clients, server, folder };
}

type Start = (args: string[], env?: NodeJS.ProcessEnv) => ChildProcess;

/** The same for all servers of a store. */
const SECRET_KEY = randomBytes(32).toString('base64');

async function startServer(options: MachinesOptions, data: string, woof: Start) {
  const { workers, slots = 64, alone, store, nodeOptions, prepare } = options;
  const verb = workers === 0 && !alone ? ['up', '--slots', String(slots)] : ['server'];
  if (prepare) {
    mkdirSync(data);
    await prepare(data);
  }
  const place = ['--data', data, ...(store === undefined ? [] : ['--store', store])];
  const quiet = ['--json', '--log-level', 'error', '--rate', '1000000'];
  const more = nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions };
  const env = { ...process.env, WOOF_SECRET_KEY: SECRET_KEY, ...more };
  const server = woof([...verb, '--listen', '127.0.0.1:0', ...quiet, ...place], env);
  return { server, ...(await firstLine(server)) };
}

async function firstLine(child: ChildProcess): Promise<{ url: string; token: string }> {
  for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line);
  throw new Error('the server ended before it listened');
}

/** A playbook of steps that follow one another. */
export function chain(name: string, length: number, tool = '{kind: noop}'): string {
  const step = (index: number) =>
    `  - step: s${index}\n    tool: ${tool}\n${index < length - 1 ? `    next: {arcs: [{step: s${index + 1}}]}\n` : ''}`;
  const steps = Array.from({ length }, (_, index) => step(index)).join('');
  const head = `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: ${name}, path: ${name}}\n`;
  return `${head}executor: {spec: {entry_step: s0}}\nworkflow:\n${steps}`;
}

/** All events of an execution, once it has ended. */
export async function eventsOf(client: Client, id: string): Promise<Envelope[]> {
  const events: Envelope[] = [];
  for await (const event of followEvents(client, id)) events.push(event);
  return events;
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
