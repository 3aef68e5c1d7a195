/** Workbooks with the runtime inside, and a host of thirty lines around one. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inlineScript, type Permission, type WorkbookParts, writeWorkbook } from '@woof/documents/workbook';
import type { Wb } from '@woof/workbook-runtime';
import type { HostCan } from '@woof/workbook-runtime/broker';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import {
  type PageServer,
  servePages,
  type TestBrowser,
  useBrowser,
  type Visit,
  writePage,
} from './browser.ts';

declare global {
  const wb: Wb;
}

export const runtimeFile = (name: string) => new URL(`../../dist/workbook/${name}`, import.meta.url);
const RUNTIME = readFileSync(runtimeFile('wb.global.js'), 'utf8');

export interface Book {
  permissions?: Permission[];
  head?: string;
  body?: string;
  /** Runs as a module, with `wb` available. */
  code?: string;
  /** The page allows only its own scripts. */
  strict?: boolean;
}

export function makeBook({
  permissions = ALL,
  head = '',
  body = '',
  code = '',
  strict = false,
}: Book = {}): string {
  const scripts = [inlineScript(RUNTIME), code && inlineScript(code, { type: 'module' })];
  const csp = `default-src 'none'; script-src ${scripts.filter(Boolean).map(hashOf).join(' ')}`;
  const parts: WorkbookParts = {
    title: 'Book',
    kind: 'spa',
    permissions,
    ...(strict ? { csp } : {}),
    head: head + scripts[0],
    body: body + scripts[1],
  };
  return writeWorkbook(parts);
}

export const ALL: Permission[] = ['storage', 'env', 'clipboard'];
function hashOf(element: string): string {
  const text = element.slice(element.indexOf('>') + 1, element.lastIndexOf('<'));
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

export interface Grants {
  can: HostCan;
  env?: Record<string, string>;
  secrets?: string[];
}

/** Keeps values in its own `localStorage`; `waits` until the test calls `answer()`. */
export function makeHost(book: string, { can, env = {}, secrets }: Grants, waits = false): string {
  const welcome = { type: 'wb:welcome', version: 1, can, env, ...(secrets ? { secrets } : {}) };
  const code = `
    window.log = { calls: [], saved: [] };
    const frame = document.querySelector('iframe');
    const answers = {
      'persist.get': (key) => localStorage.getItem(key) ?? undefined,
      'persist.set': (key, value) => localStorage.setItem(key, value),
      'persist.delete': (key) => localStorage.removeItem(key),
      'persist.keys': () => Object.keys(localStorage),
      'share.link': (fragment) => location.href.split('#')[0] + '#' + fragment,
      'share.save': (name, html) => void log.saved.push(name, html),
    };
    const perform = ({ id, call, args }) => {
      log.calls.push(call);
      if (answers[call]) return { id, ok: true, value: answers[call](...args) };
      return { id, ok: false, error: { code: 'denied', message: call + ' was not granted.' } };
    };
    window.welcome = (message) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => port1.postMessage(perform(data));
      frame.contentWindow.postMessage(message, '*', [port2]);
      return port1;
    };
    const greeted = new Promise((resolve) => addEventListener('message', ({ source, data }) => {
      if (source === frame.contentWindow && data.type === 'wb:hello') resolve();
    }));
    window.answer = () => greeted.then(() => { window.port = welcome(${JSON.stringify(welcome)}); });
    if (${!waits}) answer();
    frame.src = ${JSON.stringify(book)} + location.hash;`;
  return `<!doctype html><title>Host</title><iframe></iframe>${inlineScript(code)}`;
}

export interface Opened {
  visit: Visit;
  page: Page;
  /** The frame in which the workbook runs. */
  book: Frame;
}

export const SETTINGS = ['file', 'page', 'host'] as const;
export type SettingName = (typeof SETTINGS)[number];

export const GRANTED: Grants = {
  can: {
    persist: true,
    env: true,
    clipboard: 'Not granted by the person.',
    'share.link': true,
    'share.save': true,
  },
  env: { REGION: 'north-1', API_KEY: 'k-0123456789' },
  secrets: ['API_KEY'],
};

/** Opens workbooks, and closes them when the test is done. */
export function useBooks() {
  const browser = useBrowser();

  async function profile(options?: Parameters<TestBrowser['newProfile']>[0]): Promise<BrowserContext> {
    const made = await browser.newProfile(options);
    onTestFinished(() => made.close());
    return made;
  }

  /** Its clock does not run: the runtime waits for its host as long as the test does. */
  async function patientProfile(): Promise<BrowserContext> {
    const made = await profile();
    await made.clock.install();
    await made.clock.pauseAt(Date.now() + 60_000);
    return made;
  }

  async function serve(pages: Parameters<typeof servePages>[0]): Promise<PageServer> {
    const server = await servePages(pages);
    onTestFinished(() => server.close());
    return server;
  }

  const visit = async (url: string, own?: BrowserContext) => browser.visit(url, own ?? (await profile()));

  /** At `/book.html`, and at `/host` inside a host, where it has its own origin as in every host. */
  async function serveBook(book: string, grants = GRANTED, waits = false): Promise<PageServer> {
    const pages: Record<string, string> = { '/book.html': book };
    const server = await serve(pages);
    pages['/host'] = makeHost(`http://book.localhost:${server.port}/book.html`, grants, waits);
    return server;
  }

  /** In one of the three settings, in a profile that `reopen` keeps. */
  async function open(setting: SettingName, book = makeBook(), grants = GRANTED) {
    const { origin } = await serveBook(book, grants);
    const address = { file: writePage(book), page: `${origin}/book.html`, host: `${origin}/host` }[setting];
    const own = setting === 'host' ? await patientProfile() : await profile();
    const reopen = async (url = address) => locate(await visit(url, own), setting);
    return { ...(await reopen()), address, reopen };
  }

  return { profile, patientProfile, serve, serveBook, visit, open };
}

export async function locate(visit: Visit, setting: SettingName): Promise<Opened> {
  const { page } = visit;
  if (setting !== 'host') return { visit, page, book: page.mainFrame() };
  const element = await page.waitForSelector('iframe', NO_LIMIT);
  const book = (await element.contentFrame())!;
  await book.waitForSelector('html', { state: 'attached', ...NO_LIMIT });
  return { visit, page, book };
}

/** A busy machine may be slow. */
export const NO_LIMIT = { timeout: 500_000 };
