/** `woof server status` and `woof server stop`: about the server of a folder or, for status, a named one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@woof/client';
import { Problem } from '@woof/protocol';
import type { AnswerOf } from '@woof/protocol/http';
import { locateData } from '../data-directory.ts';
import { type HomeFlags, serverOf } from '../home-flags.ts';
import { connect } from '../remote/connect.ts';
import {
  type FolderServer,
  folderServer,
  folderServers,
  isServed,
  isServedAtAll,
} from '../remote/folder-server.ts';
import { duration, harmless, table } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { LOG_FILE } from './detach.ts';

const LOOK_EVERY_MS = 50;
/** Its lock is released a moment before the process is gone. */
const GONE_WITHIN_MS = 2000;

type Flags = HomeFlags & { json?: true };

export async function serverStatus(flags: Flags): Promise<number> {
  const { path: folder } = locateData(flags.data);
  const isElsewhere = flags.server !== undefined || serverOf(flags) !== undefined;
  const note = isElsewhere ? undefined : folderServer(folder);
  if (!isElsewhere && note === undefined) return notRunning(folder, flags, 1);
  const client = connect(note ? { ...flags, server: note.url, data: folder } : flags);
  const about = await client.call('server.get');
  const account = accountOf(client, about, note && folder);
  if (flags.json) console.log(JSON.stringify(account));
  else process.stdout.write(describe(account));
  return 0;
}

type Account = ReturnType<typeof accountOf>;

function accountOf(client: Client, about: AnswerOf<'server.get'>, folder: string | undefined) {
  const log = folder && join(folder, LOG_FILE);
  const here = folder ? { data: folder, ...(log && existsSync(log) ? { log } : {}) } : {};
  return { listening: true, url: client.url, ...about, ...here } as typeof about & {
    listening: true;
    url: string;
    data?: string;
    log?: string;
  };
}

function describe(account: Account): string {
  const { url, pid, version, store, data, uptime_ms, workers, draining, log } = account;
  const rows = [
    ['  process', String(pid)],
    ['  version', harmless(version)],
    ['  store', data ? `${store}, ${data}` : harmless(store)],
    ['  uptime', duration(uptime_ms)],
    ['  runs', runCounts(account)],
    ['  workers', draining > 0 ? `${workers} (${draining} draining)` : String(workers)],
    ...(log ? [['  log', log]] : []),
  ];
  return `server at ${url}\n${table(rows)}`;
}

function runCounts({ running, interrupted, waiting_jobs }: Account): string {
  const left = interrupted > 0 ? `${interrupted} interrupted, ` : '';
  return `${running} in progress, ${left}${waiting_jobs} jobs are waiting for a worker`;
}

function notRunning(folder: string, { json }: Flags, status: number): number {
  if (isServedAtAll(folder))
    throw new UserError(`a server of ${folder} is starting or stopping`, 'try again in a moment');
  if (json) console.log(JSON.stringify({ listening: false, data: folder }));
  else console.error(`no server runs in ${folder}`);
  return status;
}

/**
 * The request goes to the process that holds the lock of the folder, with the address and token that it left there. No
 * process is killed by its pid: another process may have it by now, or have it in another container.
 */
export async function stopServer(flags: Flags): Promise<number> {
  const { path: folder } = locateData(flags.data);
  const note = theOne(folder, flags);
  if (note === undefined) return notRunning(folder, flags, 0);
  const { token } = flags;
  const client = connect({ server: note.url, data: folder, ...(token === undefined ? {} : { token }) });
  const pid = await askToStop(client, note).catch((error: unknown) => explain(error, note));
  if (!flags.json) console.error(`the server at ${note.url} (pid ${pid}) is stopping`);
  while (isServed(folder, note.store)) await pause();
  await untilGone(pid);
  if (flags.json) console.log(JSON.stringify({ listening: false, data: folder, url: note.url, pid }));
  else console.error('stopped');
  return 0;
}

/** The pid of the process that was asked. */
async function askToStop(client: Client, note: FolderServer): Promise<number> {
  const { pid } = await client.call('server.get');
  if (pid !== note.pid)
    throw new UserError(
      `process ${pid} answers at ${note.url}, but the server of this folder is process ${note.pid}`,
      'check which of them you want to stop, and send SIGTERM to that one',
    );
  await client.call('server.stop');
  return pid;
}

/** A folder may have one per kind of store; then the user chooses. */
function theOne(folder: string, { server }: Flags): FolderServer | undefined {
  const all = folderServers(folder);
  if (server === undefined) return all.length > 1 ? refuseToChoose(all) : all[0];
  const address = server.replace(/\/+$/, '');
  return all.find(({ url }) => url === address) ?? refuseElsewhere(server);
}

function refuseToChoose(all: readonly FolderServer[]): never {
  throw new UserError(
    `${all.length} servers run in this folder: ${all.map(({ url, store }) => `${url} (${store})`).join(', ')}`,
    `name the one to stop: woof server stop --server ${all[0]!.url}`,
    2,
  );
}

function refuseElsewhere(server: string): never {
  throw new UserError(
    `woof server stop stops only the server of this folder, and ${server} is another one`,
    'run the command where that server was started, or give its data directory: --data DIR',
    2,
  );
}

function explain(error: unknown, { url, pid }: FolderServer): never {
  if (error instanceof Problem && error.code.startsWith('auth/'))
    throw new UserError(
      `the server at ${url} can be stopped only with an admin token: ${error.message}`,
      `add --token with an admin token, or send SIGTERM to the server: kill ${pid}`,
    );
  if ((error as Error).name !== 'Unreachable') throw error;
  throw new UserError(`${url} does not answer`, `check process ${pid}, and end it yourself if it is stuck`);
}

/** A zombie process stays in the process list; that is not waited for. */
async function untilGone(pid: number): Promise<void> {
  const deadline = Date.now() + GONE_WITHIN_MS;
  while (isThere(pid) && Date.now() < deadline) await pause();
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
