/**
 * A hostile page tries to send something out and to access what is not its own: in the host of workbooks, where every
 * attempt must fail, and then, with the same attempts, in a page without defences, where each must succeed. Two worlds
 * of listeners record who reached what; the log of Chromium's network records which names it looked up.
 *
 * The control runs afterwards in the same browser: when all of it has arrived, what the sandboxed page started earlier
 * has had enough time.
 *
 * Some attempts need a tab each, because they leave the page or stop it. In `npm test`, each of these is made once in
 * the host: half of them in a page without permissions, half in one that may keep data. Those that show by a request run
 * in the headless shell, which opens four tabs for the price of one in the full Chromium. `npm run escape-test` makes
 * all attempts in both pages, in the full Chromium.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Permission } from '@woof/documents/workbook';
import { Grants, KeptValues, openWorkbook, type Page as Read, readPage } from '@woof/server/workbooks';
import { describeUnless } from '@woof/testkit';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root, until } from '../cli/woof.ts';
import { launchProfile, noBrowser, servePages, useBrowser } from './browser.ts';
import { ATTEMPTS, type Attempt } from './escape/attempts.ts';
import {
  AT_TOP,
  hostilePage,
  LISTEN,
  NAIVE_SHELL,
  reportingHeaders,
  TOGETHER,
} from './escape/hostile-page.ts';
import { createWorld, type World } from './escape/world.ts';
import { pageOf } from './opened.ts';

/** What is only seen in the browser, by attempt. */
interface Seen {
  won: Set<string>;
  dialog: Set<string>;
  download: Set<string>;
  popup: Set<string>;
  launch: Set<string>;
  left: Set<string>;
  /** Began in a tab of their own. */
  begun: Set<string>;
}

/** In a box without permissions, in one that may keep data, and without a host. */
type Where = 'box' | 'keeper' | 'bare';
type Urls = Record<Where, string>;

/** What a workbook that may keep data does on its own origin, by the web's own interfaces. */
const OWN_DATA = new Set([
  'cookie',
  'local-storage',
  'session-storage',
  'indexed-db',
  'caches',
  'private-files',
  'cookie-store',
  'file-system',
  'storage-estimate',
  'locks',
  'broadcast',
  'broker-persist',
]);

const isLong = process.env.WOOF_ESCAPE_TEST === 'long';
const TABS_AT_ONCE = 6;

const BOXED = ['box', 'keeper'] as const;
const ALONE = ATTEMPTS.filter(({ alone }) => alone);

/** The boxed pages in which an attempt is made. */
function boxesOf(attempt: Attempt): readonly Where[] {
  if (isLong || !attempt.alone) return BOXED;
  return [BOXED[ALONE.indexOf(attempt) % BOXED.length]!];
}
/** Permissions that every page has, so that only the sandbox can stop it. */
const GRANTED = [
  'clipboard-read',
  'clipboard-write',
  'geolocation',
  'notifications',
  'camera',
  'storage-access',
  'screen-wake-lock',
];

describeUnless(noBrowser)('a hostile workbook', () => {
  const folder = mkdtempSync(join(tmpdir(), 'woof-hostile-'));
  const cleanUp: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  let worlds: Record<Where, World>;
  let seen: Record<Where, Seen>;
  const lookups = new Set<string>();
  let boxTried: boolean;

  beforeAll(async () => {
    worlds = {
      box: await createWorld('box'),
      keeper: await createWorld('keeper'),
      bare: await createWorld('bare'),
    };
    const boxed = await openHost(hostilePage(worlds.box), folder);
    const keeper = await openHost(hostilePage(worlds.keeper, 'storage'), folder, ['storage']);
    const bare = await servePages({
      '/': { body: NAIVE_SHELL, headers: { 'origin-agent-cluster': '?0' } },
      '/page': {
        body: hostilePage(worlds.bare),
        headers: { 'origin-agent-cluster': '?0', ...reportingHeaders(worlds.bare) },
      },
      '/sw.js': { body: '', type: 'text/javascript' },
    });
    cleanUp.push(...Object.values(worlds).map(({ close }) => close), boxed.close, keeper.close, bare.close);
    const urls = { box: boxed.url, keeper: keeper.url, bare: `http://page.bare.localhost:${bare.port}/` };
    seen = { box: newSeen(), keeper: newSeen(), bare: newSeen() };
    const windowless = ({ alone, shows }: Attempt) => !isLong && alone === true && shows === 'request';
    const together = ATTEMPTS.filter(({ crashes }) => !crashes);
    const inWindows = together.filter((attempt) => !windowless(attempt));
    boxTried = await inOneBrowser(inWindows, urls, 'people');
    if (inWindows.length < together.length)
      await inOneBrowser(together.filter(windowless), urls, 'windowless');
    for (const attempt of ATTEMPTS.filter(({ crashes }) => crashes)) await inItsOwnBrowser(attempt, urls);
  });
  afterAll(async () => {
    for (const close of cleanUp.reverse()) await close();
  });

  /** Whether the boxed pages that tell have tried all, and lived. */
  async function inOneBrowser(
    attempts: readonly Attempt[],
    urls: Urls,
    which: 'people' | 'windowless',
  ): Promise<boolean> {
    const netLog = join(folder, `${which}.json`);
    const args = [`--log-net-log=${netLog}`, '--use-fake-device-for-media-stream'];
    const browser = await launchProfile(join(folder, which), { args, windowless: which === 'windowless' });
    await browser.grantPermissions(GRANTED);
    await browser.setGeolocation({ latitude: 0, longitude: 0 });
    const tabs = {
      box: new Tabs(browser, urls.box, seen.box),
      keeper: new Tabs(browser, urls.keeper, seen.keeper),
      bare: new Tabs(browser, urls.bare, seen.bare),
    };
    for (const where of BOXED)
      await tabs[where].start(attempts.filter((attempt) => boxesOf(attempt).includes(where)));
    await tabs.bare.start(attempts);
    if (attempts.some(({ atTop }) => atTop)) await tabs.bare.startAtTop('page');
    const controls = attempts.filter(({ shows }) => shows !== 'lookup');
    const haveCome = async () => {
      await tabs.bare.gather();
      return controls.every((attempt) => came(attempt, 'bare'));
    };
    // If something never arrives, the attempt's own test reports it.
    await until('the controls have come', haveCome).catch(() => {});
    const tried = (await tabs.box.gather()) && (await tabs.keeper.gather());
    await browser.close();
    for (const name of lookedUp(readFileSync(netLog, 'utf8'))) lookups.add(name);
    return tried;
  }

  async function inItsOwnBrowser(attempt: Attempt, urls: Urls): Promise<void> {
    const browser = await launchProfile(join(folder, attempt.name));
    // A crash in the middle of the click is a valid result.
    for (const where of boxesOf(attempt))
      await new Tabs(browser, urls[where], seen[where]).start([attempt]).catch(onlyCrashes);
    await new Tabs(browser, urls.bare, seen.bare).start([attempt]);
    await until('the control has come', () => came(attempt, 'bare')).catch(() => {});
    await browser.close();
  }

  /** Whether an attempt in that world shows that it worked. */
  function came({ name, shows }: Attempt, where: Where): boolean {
    const { requests, datagramsFrom } = worlds[where];
    if (shows === 'request') return requests.has(name);
    if (shows === 'datagram') return datagramsFrom.has(name);
    if (shows === 'lookup') return lookups.has(`${name}.${where}.localhost`);
    return seen[where][shows].has(name);
  }

  it.each(ATTEMPTS)('fails with $name, which works without the host', (attempt) => {
    expect(came(attempt, 'bare')).toBe(true);
    const works = { box: false, keeper: OWN_DATA.has(attempt.name), bare: true };
    for (const where of boxesOf(attempt)) expect(came(attempt, where), where).toBe(works[where]);
  });

  it('began every attempt that needs a tab in a boxed page, and some in each of the two', () => {
    const names = (attempts: readonly Attempt[]) => attempts.map(({ name }) => name).sort();
    const begun = BOXED.map((where) => [...seen[where].begun]);
    expect([...new Set(begun.flat())].sort()).toEqual(names(ALONE));
    for (const each of begun) expect(each.length).toBeGreaterThanOrEqual(Math.floor(ALONE.length / 2));
  });

  it('tried all of it, and survived', () => {
    expect(boxTried).toBe(true);
  });

  it('left the page around it unchanged', () => {
    expect([...seen.box.left, ...seen.keeper.left]).toEqual([]);
  });

  it('opened no connection, sent no datagram, and caused no name lookup', () => {
    expect(worlds.bare.connections()).toBeGreaterThan(0);
    for (const where of ['box', 'keeper'] as const) {
      expect(worlds[where].connections()).toBe(0);
      expect([...worlds[where].requests, ...worlds[where].datagramsFrom]).toEqual([]);
      expect([...lookups].filter((name) => name.endsWith(`.${where}.localhost`))).toEqual([]);
    }
  });

  it('is tried in as many ways as the documentation says', () => {
    expect(new Set(ATTEMPTS.map(({ name }) => name)).size).toBe(ATTEMPTS.length);
    const told = /makes (\d+) escape attempts/.exec(readFileSync(join(root, 'docs', 'open.md'), 'utf8'))?.[1];
    expect(Number(told)).toBe(ATTEMPTS.length);
  });
});

/** The host in this process, with its files in a folder. */
async function openHost(html: string, folder: string, granted: Permission[] = []) {
  const page = readPage(Buffer.from(html)) as Read;
  const key = Buffer.alloc(32);
  const opened = {
    page,
    keeper: 'here',
    env: { SECRET: 'x' },
    grants: new Grants(folder, () => key),
    kept: new KeptValues(folder),
  };
  if (granted.length > 0)
    await opened.grants.put({ hash: page.hash, title: '', permissions: granted, granted_at: 0 });
  const script = readFileSync(join(root, 'dist', 'workbook', 'shell.js'), 'utf8');
  return openWorkbook({ opened, script, port: 0 });
}

describeUnless(noBrowser)('where the browser has no connection allowlists', () => {
  const browser = useBrowser({ args: ['--disable-features=ConnectionAllowlists'] });

  it('a frame that navigates opens a connection, but sends no request', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'woof-hostile-'));
    const worlds = { box: await createWorld('box'), bare: await createWorld('bare') };
    const boxed = await openHost(hostilePage(worlds.box), folder);
    const bare = await servePages({ '/': NAIVE_SHELL, '/page': hostilePage(worlds.bare) });
    try {
      const attempt = async (url: string) => {
        const { page } = await browser.visit(`${url}#wb=location`);
        const run = page.getByRole('button', { name: 'Run', exact: true });
        if (url === boxed.url) await run.click();
        await page.frameLocator('iframe:visible').locator('#go').click({ noWaitAfter: true });
      };
      await attempt(boxed.url);
      await until('the known hole shows', () => worlds.box.connections() > 0);
      await attempt(`http://page.bare.localhost:${bare.port}/`);
      await until('the control arrives', () => worlds.bare.requests.has('location'));
      expect([...worlds.box.requests]).toEqual([]);
    } finally {
      await Promise.all([boxed.close(), bare.close()]);
      for (const world of Object.values(worlds)) world.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describeUnless(noBrowser)('other pages', () => {
  const browser = useBrowser();

  it('can show neither the prompt nor a workbook in their own frame', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'woof-hostile-'));
    const boxed = await openHost(pageOf('<p>workbook</p>', 'storage'), folder);
    const inner = await servePages({ '/': '<title>ordinary</title><p>ordinary</p>' });
    const frames = (url: string) => `<iframe id="them" src="${url}"></iframe>`;
    try {
      const { page } = await browser.visit(boxed.url);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      const shown = await (await page.waitForSelector('main iframe')).contentFrame();
      await shown!.waitForLoadState('load');
      const attacker = await servePages({
        '/ordinary': frames(`${inner.origin}/`),
        '/shell': frames(boxed.url),
        '/workbook': frames(shown!.url()),
      });
      const textIn = async (path: string) => {
        const visit = await browser.visit(`http://attacker.localhost:${attacker.port}${path}`);
        await visit.page.waitForLoadState('load');
        const [, framed] = visit.page.frames();
        return framed!.evaluate('document.body?.innerText ?? ""').catch(() => 'refused');
      };
      expect(await textIn('/ordinary')).toContain('ordinary');
      expect(await textIn('/shell')).not.toContain('Run');
      expect(await textIn('/workbook')).not.toContain('workbook');
      // Nor directly: outside the shell, nothing would block its navigation.
      const alone = await browser.visit(shown!.url());
      expect(await alone.page.textContent('body')).toContain('opens only inside its host page');
      await attacker.close();
    } finally {
      await Promise.all([boxed.close(), inner.close()]);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

const newSeen = (): Seen => ({
  won: new Set(),
  dialog: new Set(),
  download: new Set(),
  popup: new Set(),
  launch: new Set(),
  left: new Set(),
  begun: new Set(),
});

function onlyCrashes(error: unknown): void {
  if (!/crashed/.test(String(error))) throw error;
}

/** The tabs in which attempts run at the page inside `url`. */
class Tabs {
  /** Those whose page survives and can report. */
  private readonly telling: Page[] = [];

  constructor(
    private readonly browser: BrowserContext,
    private readonly url: string,
    private readonly seen: Seen,
  ) {}

  async start(attempts: readonly Attempt[]): Promise<void> {
    if (attempts.some(({ alone }) => !alone)) {
      this.telling.push(await this.open(LISTEN), await this.open(TOGETHER));
      for (const page of this.telling) await go(page);
    }
    const alone = attempts.filter((attempt) => attempt.alone).map(({ name }) => name);
    const turn = async () => {
      for (let name = alone.pop(); name !== undefined; name = alone.pop()) {
        const page = await this.open(name);
        this.seen.begun.add(name);
        await go(page);
      }
    };
    await Promise.all(Array.from({ length: TABS_AT_ONCE }, turn));
  }

  /** Attempts that work only in the page of a tab. */
  async startAtTop(path: string): Promise<void> {
    const page = await this.browser.newPage();
    await page.goto(`${this.url}${path}#wb=${AT_TOP}`);
    await page.locator('#go').click({ noWaitAfter: true });
  }

  /** Asks the pages which attempts succeeded. Returns whether each of them still answers and has tried all. */
  async gather(): Promise<boolean> {
    const answers = await Promise.all(this.telling.map(answerOf));
    for (const answer of answers) for (const name of answer?.wins ?? []) this.seen.won.add(name);
    return answers.every((answer) => answer?.title === 'tried');
  }

  private async open(name: string): Promise<Page> {
    const page = await this.browser.newPage();
    page.setDefaultTimeout(0);
    page.on('dialog', (dialog) => {
      this.seen.dialog.add(name);
      // The page may be gone by then.
      dialog.dismiss().catch(() => {});
    });
    page.on('download', () => this.seen.download.add(name));
    page.on('popup', () => this.seen.popup.add(name));
    // Without a listener, file pickers would be shown.
    page.on('filechooser', () => {});
    page.on('console', (message) => {
      if (message.text().startsWith('Launched external handler')) this.seen.launch.add(name);
    });
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame() && !frame.url().startsWith(this.url)) this.seen.left.add(name);
    });
    await page.goto(`${this.url}#wb=${name}`);
    return page;
  }
}

async function go(page: Page): Promise<void> {
  await page.frameLocator('iframe:visible').locator('#go').click({ noWaitAfter: true });
}

async function answerOf(page: Page): Promise<{ wins: string[]; title: string } | undefined> {
  const frame = page.frames().find((one) => one.parentFrame() === page.mainFrame());
  const asked = frame?.evaluate('({ wins: [...wins], title: document.title })').catch(() => undefined);
  return asked as Promise<{ wins: string[]; title: string } | undefined>;
}

/** Names in the log of Chromium's network that its resolver was asked for. */
function lookedUp(log: string): Set<string> {
  const { constants, events } = JSON.parse(log) as {
    constants: { logEventTypes: Record<string, number> };
    events: { type: number; params?: { host?: string } }[];
  };
  const types = Object.entries(constants.logEventTypes).filter(([name]) => name.startsWith('HOST_RESOLVER'));
  const known = new Set(types.map(([, type]) => type));
  const hosts = events.filter(({ type }) => known.has(type)).map(({ params }) => params?.host ?? '');
  return new Set(hosts.map((host) => host.replace(/^\w+:\/\//, '').replace(/:\d+$/, '')));
}
