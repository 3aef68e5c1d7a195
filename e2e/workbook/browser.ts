/**
 * One Chromium for all test files of a process. A visit is a page in a clean profile of its own (or in a profile that the
 * test keeps), with everything that it requested and complained about; profiles end with the suite. Pages come from `file://`
 * (`writePage`) or from a server on the loopback interface (`servePages`), which counts what reached it.
 */
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { afterFile } from '../after-file.ts';

const CHROMIUM = onPath('chromium');
/** The headless shell of Chromium, if it is installed: the same engine, and a page takes half of the processor time. */
const WINDOWLESS = onPath('chromium-headless-shell') ?? CHROMIUM;

/** Why browser tests are skipped here, if they are. */
export const noBrowser = CHROMIUM === undefined ? 'no chromium here (apt-get install chromium)' : undefined;

export interface Visit {
  page: Page;
  /** Addresses that any document or worker of the profile asked for, in order; the page itself is the first. */
  requests: string[];
  /** Uncaught errors, and what was written with `console.error`. */
  errors: string[];
}

export interface TestBrowser {
  /** An empty profile. */
  newProfile(options?: Parameters<Browser['newContext']>[0]): Promise<BrowserContext>;
  visit(url: string, profile?: BrowserContext): Promise<Visit>;
}

/** To be called in a `describe`; `args` are command line flags of Chromium. */
export function useBrowser({ args = [] }: { args?: string[] } = {}): TestBrowser {
  const profiles: BrowserContext[] = [];
  beforeAll(() => running(args));
  afterAll(() => Promise.all(profiles.map((profile) => profile.close())));
  const newProfile: TestBrowser['newProfile'] = async (options) => {
    const profile = await (await running(args)).newContext(options);
    profiles.push(profile);
    return profile;
  };
  return { newProfile, visit: async (url, profile) => visit(url, profile ?? (await newProfile())) };
}

/** Starting one takes longer than most visits. It ends with the process. */
const browsers = new Map<string, Promise<Browser>>();

/** The browser that has these flags: one that ended is started again. */
async function running(args: string[]): Promise<Browser> {
  const key = args.join(' ');
  const known = await browsers.get(key);
  if (known?.isConnected()) return known;
  const started = launch(args);
  browsers.set(key, started);
  return started;
}

function launch(args: string[]): Promise<Browser> {
  // Chromium's own sandbox does not work for root.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  // Only the full Chromium supports all flags that switch its features.
  const executablePath = args.length === 0 ? WINDOWLESS! : CHROMIUM!;
  return chromium.launch({ executablePath, args: [...asRoot, ...args] });
}

/**
 * With a profile on disk, which visits of `useBrowser` do not have: some features need one. Uses the full Chromium, or
 * the headless shell if `windowless` is set.
 */
export function launchProfile(
  folder: string,
  { args = [], windowless = false }: { args?: string[]; windowless?: boolean } = {},
): Promise<BrowserContext> {
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const executablePath = windowless ? WINDOWLESS! : CHROMIUM!;
  return chromium.launchPersistentContext(folder, { executablePath, args: [...asRoot, ...args] });
}

async function visit(url: string, profile: BrowserContext): Promise<Visit> {
  const requests: string[] = [];
  const errors: string[] = [];
  profile.on('request', (request) => requests.push(request.url()));
  const page = await profile.newPage();
  // The test's own limit ends what hangs; a busy machine may be slow.
  page.setDefaultTimeout(0);
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(url);
  return { page, requests, errors };
}

/** Requests that went anywhere but to the page's own address and to data that the page itself holds. */
export function requestsElsewhere({ page, requests }: Visit): string[] {
  const [own] = page.url().split('#');
  return requests.filter((url) => url.split('#')[0] !== own && !/^(data|blob|about):/.test(url));
}

/** Writes a page into a folder of its own, removed when the test file is done; its `file://` address. */
export function writePage(html: string | Uint8Array, name = 'page.html'): string {
  const folder = mkdtempSync(join(tmpdir(), 'woof-page-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), html);
  return pathToFileURL(join(folder, name)).href;
}

export interface Served {
  body: string | Uint8Array;
  type?: string;
  headers?: Record<string, string>;
}

export interface PageServer {
  port: number;
  /** `http://localhost:PORT` */
  origin: string;
  /** Every request that came, but for the icon, as `METHOD host/path?query`. */
  hits: string[];
  close(): Promise<void>;
}

/** Serves pages by path (without the query) on 127.0.0.1, under any host name. */
export async function servePages(pages: Record<string, string | Served>): Promise<PageServer> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    // Browsers ask for it on their own.
    if (request.url !== '/favicon.ico') hits.push(`${request.method} ${request.headers.host}${request.url}`);
    answer(request, response, pages);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { port, origin: `http://localhost:${port}`, hits, close };
}

function answer(request: IncomingMessage, response: ServerResponse, pages: Record<string, string | Served>) {
  const path = request.url!.split('?')[0]!;
  const found = Object.hasOwn(pages, path) ? pages[path]! : undefined;
  const { body, type, headers }: Served = typeof found === 'object' && 'body' in found ? found : html(found);
  const missing = path === '/favicon.ico' ? 204 : 404;
  response.writeHead(found === undefined ? missing : 200, { 'content-type': type ?? HTML, ...headers });
  response.end(body);
}

const HTML = 'text/html; charset=utf-8';
const html = (body = ''): Served => ({ body });

function onPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
