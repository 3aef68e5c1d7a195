/**
 * `woof up --detach`: the same command in a separate process, which outlives this one and its terminal.
 *
 * Invariant: if this returns an exit code other than 0, none of its processes is left.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@woof/client';
import { locateData } from '../data-directory.ts';
import { makeFolder } from '../make-folder.ts';
import { type FolderServer, folderServers } from '../remote/folder-server.ts';
import { shellWord } from '../shell-word.ts';
import { harmless } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { INTERRUPTED, watchSignals } from '../watch-signals.ts';
import { UNKNOWN_TOKEN } from './about-token.ts';
import { type StoreFlags, storeAddress } from './store-address.ts';
import { aboutStudio, studioLink, studioOrigin } from './studio-link.ts';
import { graceOf } from './until-stopped.ts';

export const LOG_FILE = 'server.log';

const LOOK_EVERY_MS = 50;
/** A database may be slow to answer; a server that is not ready by then is stopped again. */
const READY_WITHIN_MS = 60_000;
/** In addition to the grace period, which the worker and the server each have. */
const END_WITHIN_MS = 5000;

interface DetachFlags extends StoreFlags {
  grace?: string;
  host?: string[];
  json?: true;
}

export async function detach(flags: DetachFlags): Promise<number> {
  const { folder, kind } = storeAddress(flags);
  // A server on another kind of store is not what was asked for.
  const look = () => folderServers(folder).find(({ store }) => store === kind);
  const running = look();
  if (running) return told(running, folder, flags, false);
  makeFolder(folder);
  const log = openSync(join(folder, LOG_FILE), 'a', 0o600);
  const { size: before } = fstatSync(log);
  const child = start(log);
  closeSync(log);
  // A terminal that closes sends SIGHUP.
  const signals = watchSignals(undefined, ['SIGINT', 'SIGTERM', 'SIGHUP']);
  let isKept = false;
  // A second Ctrl-C ends this process at once.
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  try {
    const note = await Promise.race([ready(child, look), signals.first.then(() => 'stopped' as const)]);
    if (note === 'stopped') return INTERRUPTED;
    isKept = note !== undefined;
    if (note) return told(note, folder, flags, true);
    const other = look();
    if (other) return told(other, folder, flags, false);
    process.stderr.write(harmless(writtenSince(folder, before), 'lines'));
    throw new UserError('the server did not start', `see ${join(folder, LOG_FILE)}`, exitOf(child));
  } finally {
    signals.end();
    if (!isKept) await end(child, 2 * graceOf(flags.grace) + END_WITHIN_MS);
    process.off('exit', endWithUs);
    child.unref();
  }
}

/** Its stdout would contain the admin token: with --json, stdout has only that line, and it is discarded. */
function start(log: number): ChildProcess {
  const args = process.argv.slice(2).filter((word) => word !== '--detach');
  return spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...args, '--json'], {
    detached: true,
    stdio: ['ignore', 'ignore', log],
  });
}

/** Undefined: it ended, was not ready in time, or another server was faster. */
async function ready(
  child: ChildProcess,
  look: () => FolderServer | undefined,
): Promise<FolderServer | undefined> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    const note = look();
    if (note && (await isReady(note))) return note.pid === child.pid ? note : undefined;
    await pause();
  }
  return undefined;
}

async function isReady({ url }: FolderServer): Promise<boolean> {
  try {
    await new Client({ url, token: undefined }).call('health.ready');
    return true;
  } catch {
    return false;
  }
}

async function end(child: ChildProcess, withinMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await gone;
  clearTimeout(hard);
}

const pause = () => new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));

const exitOf = ({ exitCode }: ChildProcess): 1 | 2 => (exitCode === 2 ? 2 : 1);

function writtenSince(folder: string, before: number): string {
  return readFileSync(join(folder, LOG_FILE)).subarray(before).toString('utf8');
}

async function told(
  note: FolderServer,
  folder: string,
  { json, host }: DetachFlags,
  started: boolean,
): Promise<number> {
  const { url, pid, token = null } = note;
  const log = join(folder, LOG_FILE);
  const origin = studioOrigin(url, host);
  const link = await linkOf(note, origin);
  if (json) {
    console.log(JSON.stringify({ url, token, pid, log, started, studio: link ?? null }));
    return 0;
  }
  console.error(
    started
      ? `woof listens on ${url} (pid ${pid}), in the background\n  log     ${log}`
      : `woof listens on ${url} already (pid ${pid})`,
  );
  if (token === null) console.error(`  token   ${UNKNOWN_TOKEN}`);
  console.error(`  studio  ${aboutStudio(origin, { link, isTerminal: process.stderr.isTTY })}`);
  console.error(
    `  docs    ${origin}/docs\n  next    woof submit FILE --wait\n  stop    ${stopCommand(note, folder)}`,
  );
  return 0;
}

/** Undefined without a token, or if the server does not create a link: the server runs all the same. */
async function linkOf({ url, token }: FolderServer, origin: string): Promise<string | undefined> {
  if (token === undefined) return undefined;
  const made = new Client({ url, token }).call('login.code');
  return made.then(
    ({ code }) => studioLink(origin, code),
    () => undefined,
  );
}

/** The command as it works in this folder. */
function stopCommand({ url, token, pid }: FolderServer, folder: string): string {
  const data = folder === locateData(undefined).path ? '' : ` --data ${shellWord(folder)}`;
  const which = folderServers(folder).length > 1 ? ` --server ${url}` : '';
  const command = `woof server stop${data}${which}`;
  return token === undefined ? `${command} --token TOKEN, or kill ${pid}` : command;
}
