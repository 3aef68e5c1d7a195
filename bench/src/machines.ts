/** A server and workers over HTTP, each a process of its own, as people run them, and documents for them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, followEvents } from '@woof/client';
import type { Envelope } from '@woof/net';
import { WOOF } from './timed-command.ts';

export interface MachinesOptions {
  /** Processes of their own; with none, the worker is in the server's (`woof up`). */
  workers: number;
  slots?: number;
  /** The address of a database; without, SQLite. */
  store?: string;
  /** By the paths under which they are registered. */
  documents: Record<string, string>;
  /** Of the server. */
  nodeOptions?: string;
}

export interface Machines {
  client: Client;
  server: ChildProcess;
  /** The working directory of all of them. */
  folder: string;
}

/** Ends them when `use` is done. */
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
  const { workers, slots = 64, store, documents, nodeOptions } = options;
  const woof = (args: string[], env = process.env) => {
    const child = spawn(process.execPath, [WOOF, ...args], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return child;
  };
  const verb = workers === 0 ? ['up', '--slots', String(slots)] : ['server'];
  const place = ['--data', join(folder, 'server'), ...(store === undefined ? [] : ['--store', store])];
  const quiet = ['--json', '--log-level', 'error', '--rate', '1000000'];
  const env = nodeOptions === undefined ? process.env : { ...process.env, NODE_OPTIONS: nodeOptions };
  const server = woof([...verb, '--listen', '127.0.0.1:0', ...quiet, ...place], env);
  const { url, token } = await firstLine(server);
  for (let index = 0; index < workers; index++) {
    const data = join(folder, `worker-${index}`);
    woof(['worker', '--server', url, '--token', token, '--slots', String(slots), '--data', data]);
  }
  const client = new Client({ url, token });
  for (const [path, text] of Object.entries(documents))
    await client.call('documents.register', { body: { text, path } });
  while ((await client.call('workers.list')).workers.length < Math.max(workers, 1)) await pause(20);
  return { client, server, folder };
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
