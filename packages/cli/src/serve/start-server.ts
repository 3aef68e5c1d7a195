/** Starts a server on a store, with the admin token and the key from its data directory. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { traceSettings } from '@woof/engine';
import { isHost, Server, type ServerLog } from '@woof/server';
import { grantKeyFrom, type WorkbookOptions } from '@woof/server/workbooks';
import { isDriving } from '../drivers/drivers.ts';
import { LIMIT, limitsOf } from '../limit-flags.ts';
import { readRules } from '../read-rules.ts';
import { readNote } from '../remote/folder-server.ts';
import { secretKeys } from '../secrets/secret-keys.ts';
import { UserError } from '../user-error.ts';
import { shellScript } from '../workbooks/shell-script.ts';
import { buildReport } from './build-report.ts';
import { compilerOf } from './compile-text.ts';
import { openSharedStore, type SharedData } from './open-shared-store.ts';
import { LOG_OPTIONS, serverLog } from './server-log.ts';
import { announce, withdraw } from './server-note.ts';
import { inWords, STORE_KINDS, storeTraits } from './store-kinds.ts';
import { studioOrigin } from './studio-link.ts';

declare const WOOF_VERSION: string;

/** As seen from dist/cli, where this runs. */
const DOCS = '../docs';
const STUDIO = '../studio';

const REMOVE_RUNS = STORE_KINDS.filter((kind) => storeTraits(kind).removesRuns);

export const SERVER_OPTIONS = {
  listen: { doc: 'address to listen on (default: 127.0.0.1:9663)', value: 'HOST:PORT' },
  store: {
    doc: `store for runs: ${inWords('example')} (default: WOOF_STORE, then the data directory)`,
    value: 'URL',
  },
  host: {
    doc: 'host name that the server answers to, or the origin of a proxy in front of it; repeatable',
    value: 'NAME',
    many: true,
  },
  rate: { doc: 'requests per second allowed per token (default: 500)', value: 'N' },
  'max-running': { doc: 'runs allowed in memory at the same time (default: 100000)', value: 'N' },
  'keep-days': {
    doc: `remove runs this many days after they ended, 7 or more; needs ${inWords('title', REMOVE_RUNS)} (default: keep all runs)`,
    value: 'DAYS',
  },
  limit: LIMIT,
  'new-admin-token': { doc: 'create an admin token even if the store already has one' },
  'workbook-domain': {
    doc: 'serve each workbook under its own subdomain of this domain (wb.localhost, https://wb.example.org)',
    value: 'DOMAIN',
  },
  ...LOG_OPTIONS,
} as const;

export interface ServerFlags {
  listen?: string;
  store?: string;
  host?: string[];
  rate?: string;
  'max-running'?: string;
  'keep-days'?: string;
  limit?: string[];
  'workbook-domain'?: string;
  'new-admin-token'?: true;
  'log-level'?: string;
  'log-format'?: string;
  data?: string;
}

export interface Started {
  server: Server;
  data: SharedData;
  /** Lets work in progress end within the grace period, then closes the store. */
  stop(graceMs: number): Promise<void>;
  /** Undefined if the store already has a token that this directory does not know. */
  adminToken: string | undefined;
  /** Resolves when an admin asks it to stop. */
  stopAsked: Promise<void>;
}

export async function startServer(flags: ServerFlags, onFailed: (error: unknown) => void): Promise<Started> {
  const listen = addressOf(flags.listen ?? '127.0.0.1:9663');
  const hosts = hostsOf(flags.host ?? []);
  const perSecond = rateOf(flags.rate);
  const maxRunning = mostOf(flags['max-running']);
  const keepDays = daysOf(flags['keep-days']);
  const engineLimits = limitsOf(flags.limit);
  const log = serverLog(flags);
  const data = await openSharedStore(flags);
  let onStopAsked: () => void = () => {};
  const stopAsked = new Promise<void>((resolve) => {
    onStopAsked = resolve;
  });
  try {
    if (keepDays !== undefined && !storeTraits(data.kind).removesRuns) throw keepsAll();
    const server = await Server.start({
      ...data,
      compile: compilerOf(readRules(data.path)),
      report: buildReport,
      secretKeys: secretKeys(data.path),
      version: WOOF_VERSION,
      storeKind: data.kind,
      listen,
      hosts,
      docs: fileURLToPath(new URL(DOCS, import.meta.url)),
      studio: fileURLToPath(new URL(STUDIO, import.meta.url)),
      workbooks: workbooksOf(flags['workbook-domain'], data.path),
      ...(perSecond === undefined ? {} : { perSecond }),
      ...(maxRunning === undefined ? {} : { maxRunning }),
      ...(keepDays === undefined ? {} : { keepDays }),
      engineLimits,
      traces: traceSettings(process.env),
      log,
      isDriving: (driver) => isDriving(data.path, driver),
      onFault: (error, about) => log.fault(error, about),
      onFailed,
      onStopAsked,
    });
    const adminToken = await noteToken(server, data, flags);
    if (!data.isFound) log.warn(`${NOT_FOUND} ${server.url}`);
    return { server, data, stopAsked, adminToken, stop: (graceMs) => stopAll(server, data, log, graceMs) };
  } catch (error) {
    await data.close();
    throw explained(error, flags.listen);
  }
}

const NOT_FOUND =
  'another server on a database runs in this folder, so commands here use that one; to use this one, add --server';

/** The address is withdrawn first: once the port is free, another program may listen there. */
async function stopAll(server: Server, data: SharedData, log: ServerLog, graceMs: number): Promise<void> {
  try {
    if (data.isFound) withdraw(data.path, data.kind);
  } catch (error) {
    // A full disk must not keep it from stopping.
    log.fault(error, {});
  }
  await server.stop(graceMs);
  await data.close();
}

/** The token of the last start is reused as long as the server accepts it. A store gets a first token, and no more. */
async function noteToken(server: Server, data: SharedData, flags: ServerFlags): Promise<string | undefined> {
  const { token: known } = readNote(data.path, data.kind);
  const isGood = known !== undefined && (await server.parts.tokens.read(known))?.role === 'admin';
  const token = isGood && !flags['new-admin-token'] ? known : await newToken(server, flags);
  const note = { url: studioOrigin(server.url), pid: process.pid, ...(token === undefined ? {} : { token }) };
  if (data.isFound) announce(data.path, data.kind, note);
  return token;
}

function newToken(server: Server, flags: ServerFlags): Promise<string | undefined> {
  const name = 'admin of this directory';
  return flags['new-admin-token'] ? server.createToken(name, 'admin') : server.createFirstAdmin(name);
}

function addressOf(text: string): { host: string; port: number } {
  const match = /^(?:(\[[\da-f:]+\]|[^:]+):)?(\d+)$/i.exec(text);
  if (match === null)
    throw new UserError(`--listen ${text}: expected HOST:PORT`, 'for example 127.0.0.1:9663', 2);
  const port = Number(match[2]);
  if (port > 65_535)
    throw new UserError(`--listen ${text}: there is no port ${match[2]}`, 'choose a port from 0 to 65535', 2);
  return { host: (match[1] ?? '127.0.0.1').replaceAll(/[[\]]/g, ''), port };
}

function hostsOf(texts: readonly string[]): readonly string[] {
  const wrong = texts.find((text) => !isHost(text));
  if (wrong === undefined) return texts;
  throw new UserError(
    `--host ${wrong}: expected a host name or an origin`,
    'for example --host woof.example.org, or --host https://woof.example.org:8443',
    2,
  );
}

/** Plain HTTP is for this computer only: elsewhere browsers do not say who requests a frame. */
function workbooksOf(domain: string | undefined, folder: string): WorkbookOptions | undefined {
  if (domain === undefined) return undefined;
  if (!/^(https:\/\/)?[\w-]+(\.[\w-]+)*(:\d+)?\/?$/.test(domain) || !/^https:|localhost\/?$/.test(domain))
    throw new UserError(
      `--workbook-domain ${domain}: expected wb.localhost, or https:// and a domain`,
      'for example --workbook-domain https://wb.example.org',
      2,
    );
  return {
    domain,
    script: shellScript(),
    folder: join(folder, 'workbooks', 'tokens'),
    key: grantKeyFrom(secretKeys(folder)[0]!),
  };
}

function rateOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const rate = Number(text);
  if (rate > 0) return rate;
  throw new UserError(`--rate ${text}: expected a number above 0`, 'for example --rate 100', 2);
}

function mostOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const most = Number(text);
  if (Number.isInteger(most) && most > 0) return most;
  throw new UserError(
    `--max-running ${text}: expected a whole number above 0`,
    'for example --max-running 1000',
    2,
  );
}

/** Idempotency keys name runs for a week. */
const FEWEST_DAYS = 7;
const MOST_DAYS = 36_500;

function daysOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = Number(text);
  if (Number.isInteger(days) && days >= FEWEST_DAYS && days <= MOST_DAYS) return days;
  throw new UserError(
    `--keep-days ${text}: expected a whole number from ${FEWEST_DAYS} to ${MOST_DAYS}`,
    'for example --keep-days 90',
    2,
  );
}

function keepsAll(): UserError {
  return new UserError(
    `--keep-days needs a store in ${inWords('title', REMOVE_RUNS)}`,
    `add --store ${inWords('example', REMOVE_RUNS)}, or leave it out: a data directory keeps all runs`,
    2,
  );
}

function explained(error: unknown, listen = '127.0.0.1:9663'): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new UserError(
      `${listen} is in use`,
      'stop the program that uses it, or choose another address; --listen 127.0.0.1:0 takes a free port',
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EACCES')
    return new UserError(
      `cannot listen on ${listen}: ${code}`,
      'choose an address of this machine and a port that you are allowed to use',
    );
  return error;
}
