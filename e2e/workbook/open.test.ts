/** `woof open` as a person uses it: what opens at once, what is asked, what is kept, and what the workbook gets. */
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runWoof } from '../cli/woof.ts';
import { noBrowser, useBrowser } from './browser.ts';
import { BARE_CLIENT, frameOf, newPlace, openFile, pageOf, runButton } from './opened.ts';

/** A busy machine may be slow. */
const NO_LIMIT = { timeout: 500_000 };

const ASKS_ALL = pageOf(
  `<p>hello</p>${BARE_CLIENT}`,
  'net,storage,clipboard,env',
  `<meta name="wb-permission-reasons" content='{"net":"To load prices."}'><meta name="wb-env" content="REGION">`,
);

/** Calls through the bare client inside the frame. */
async function ask(page: Page, call: string, ...args: unknown[]): Promise<unknown> {
  const frame = await frameOf(page);
  const code = `ask(${[call, ...args].map((one) => JSON.stringify(one)).join(', ')})`;
  return frame.evaluate(code);
}

const welcomeOf = async (page: Page) => (await frameOf(page)).evaluate('welcomed.then((all) => all.welcome)');

describeUnless(noBrowser)('woof open', () => {
  const browser = useBrowser();

  it('shows a page that requests no permissions at once, in a frame on its own origin', async () => {
    const place = newPlace({ 'a.html': pageOf('<p id="it">hello</p>') });
    const { url } = await openFile(place, 'a.html');
    const { page, errors } = await browser.visit(url);
    const frame = await frameOf(page);
    expect(await frame.textContent('#it')).toBe('hello');
    expect(new URL(frame.url()).hostname).toMatch(/^box\.[0-9a-z]{50}\.localhost$/);
    expect(await frame.evaluate('self.origin')).toBe('null');
    expect(await frame.evaluate('document.compatMode')).toBe('CSS1Compat');
    expect(await frame.evaluate('document.querySelectorAll("script").length')).toBe(0);
    expect(await page.title()).toBe('Test page');
    // The probe tries what the browser must refuse.
    expect(errors.filter((text) => !text.includes('ERR_NETWORK_ACCESS_REVOKED'))).toEqual([]);
  });

  it('asks in plain words before it runs a page that requests permissions', async () => {
    const place = newPlace({ 'a.html': ASKS_ALL });
    const { url } = await openFile(place, 'a.html', '--env', 'REGION=north', '--env', 'OTHER=x');
    const { page } = await browser.visit(url);
    const prompt = page.getByRole('region', { name: 'Run “Test page”?' });
    await prompt.waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    const words = await prompt.textContent();
    for (const said of ['Use the internet', 'To load prices.', 'Keep data', 'Use the clipboard', 'REGION'])
      expect(words).toContain(said);
    expect(words).not.toContain('OTHER');
    await page.getByRole('checkbox', { name: 'Use the internet' }).uncheck();
    await runButton(page).click();
    expect(await welcomeOf(page)).toMatchObject({
      can: { persist: true, env: true, clipboard: true },
      env: { REGION: 'north' },
    });
    const frame = await frameOf(page);
    expect(await frame.evaluate('WB_ENV')).toEqual({ REGION: 'north' });
    expect(await page.getByRole('list', { name: 'Granted to this workbook' }).textContent()).not.toContain(
      'internet',
    );
  });

  it('runs nothing if the user declines', async () => {
    const place = newPlace({ 'a.html': ASKS_ALL });
    const { page } = await browser.visit((await openFile(place, 'a.html')).url);
    await page.getByRole('button', { name: 'Do not run' }).click();
    await page.getByText('The workbook was not run').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
  });

  it('remembers grants by content over a restart, and forgets revoked ones', async () => {
    const place = newPlace({ 'a.html': ASKS_ALL, 'b.html': `${ASKS_ALL} ` });
    const { folder: cwd, env } = place;
    const first = await openFile(place, 'a.html');
    const { page } = await browser.visit(first.url);
    await runButton(page).click();
    await frameOf(page);
    await first.stop();

    const again = await browser.visit((await openFile(place, 'a.html')).url);
    await frameOf(again.page);
    const other = await browser.visit((await openFile(place, 'b.html')).url);
    await runButton(other.page).waitFor();

    const listed = JSON.parse((await runWoof(['open', '--list', '--json'], { cwd, env })).stdout);
    expect(listed.grants).toMatchObject([
      { title: 'Test page', permissions: ['net', 'storage', 'clipboard', 'env'] },
    ]);
    const revoked = await runWoof(['open', '--revoke', 'a.html'], { cwd, env });
    expect(revoked).toMatchObject({ status: 0, stderr: expect.stringContaining('revoked') });
    expect(await ask(again.page, 'persist.set', 'k', 'v')).toMatchObject({
      ok: false,
      error: { code: 'denied' },
    });
    await again.page.reload();
    await runButton(again.page).waitFor();
  });

  it('revokes in the page: the workbook stops, and the next time it asks again', async () => {
    const place = newPlace({ 'a.html': ASKS_ALL });
    const { page } = await browser.visit((await openFile(place, 'a.html')).url);
    await runButton(page).click();
    await frameOf(page);
    await page.getByRole('button', { name: 'Permissions' }).click();
    await page.getByRole('button', { name: 'Revoke and stop' }).click();
    await page.getByText('revoked').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    await page.reload();
    await runButton(page).waitFor();
  });

  it('takes no grants that came with the folder', async () => {
    const place = newPlace({ 'a.html': ASKS_ALL });
    const { page } = await browser.visit((await openFile(place, 'a.html')).url);
    await runButton(page).click();
    await frameOf(page);
    const stranger = { ...place, env: { XDG_STATE_HOME: join(place.folder, 'another-person') } };
    const theirs = await browser.visit((await openFile(stranger, 'a.html')).url);
    await runButton(theirs.page).waitFor();
    // The person who granted it is not asked.
    await frameOf((await browser.visit((await openFile(place, 'a.html')).url)).page);
  });

  it('keeps values for the next time, separately for each workbook', async () => {
    const keeps = pageOf(BARE_CLIENT, 'storage');
    const place = newPlace({ 'a.html': keeps, 'b.html': `${keeps} ` });
    const open = async (file: string) => {
      const opened = await openFile(place, file);
      const { page } = await browser.visit(opened.url);
      return { ...opened, page };
    };
    const first = await open('a.html');
    await runButton(first.page).click();
    const odd = 'naïve \u{1f415} </script> \ud800';
    expect(await ask(first.page, 'persist.set', odd, `${odd} value`)).toEqual({ id: 1, ok: true });
    await first.stop();
    const second = await open('a.html');
    expect(await ask(second.page, 'persist.keys')).toMatchObject({ value: [odd] });
    expect(await ask(second.page, 'persist.get', odd)).toMatchObject({ value: `${odd} value` });
    expect(await ask(second.page, 'persist.delete', odd)).toMatchObject({ ok: true });
    expect(await ask(second.page, 'persist.set', 'mine', '1')).toMatchObject({ ok: true });
    const other = await open('b.html');
    await runButton(other.page).click();
    expect(await ask(other.page, 'persist.keys')).toMatchObject({ value: [] });
    expect(await ask(second.page, 'persist.keys')).toMatchObject({ value: ['mine'] });
    expect(await ask(second.page, 'persist.set', 'x', { not: 'text' })).toMatchObject({
      error: { code: 'invalid' },
    });
  });

  const USES_STORAGE = `<script>
    const reason = (error) => error.name + ': ' + error.message;
    const database = () => new Promise((resolve, reject) => {
      const opening = indexedDB.open('notes');
      opening.onupgradeneeded = () => opening.result.createObjectStore('s');
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
    const done = (request) => new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
    const uses = {
      localStorage: { set: async () => { localStorage.a = 'kept'; }, get: async () => localStorage.a },
      indexedDB: {
        set: async () => { await done((await database()).transaction('s', 'readwrite').objectStore('s').put('kept', 'a')); },
        get: async () => done((await database()).transaction('s').objectStore('s').get('a')),
      },
      files: {
        set: async () => {
          const file = await (await navigator.storage.getDirectory()).getFileHandle('a', { create: true });
          const writer = await file.createWritable();
          await writer.write('kept');
          await writer.close();
        },
        get: async () => (await (await (await navigator.storage.getDirectory()).getFileHandle('a')).getFile()).text(),
      },
    };
    async function each(what) {
      const found = {};
      for (const [name, use] of Object.entries(uses)) found[name] = await use[what]().catch(reason);
      return found;
    }
  </script>`;

  it("with storage, the browser's storage works on its own origin, and lasts", async () => {
    const keeps = pageOf(USES_STORAGE, 'storage');
    const asksNot = pageOf(USES_STORAGE);
    const place = newPlace({ 'a.html': keeps, 'b.html': `${keeps} `, 'none.html': asksNot });
    const profile = await browser.newProfile();
    const each = async (file: string, what: 'set' | 'get', isNew = false) => {
      const opened = await openFile(place, file);
      const { page } = await browser.visit(opened.url, profile);
      if (isNew) await runButton(page).click();
      const frame = await frameOf(page);
      const found = await frame.evaluate(`each('${what}')`);
      const { origin } = new URL(frame.url());
      const isOwn = (await frame.evaluate('self.origin')) === origin;
      await opened.stop();
      return { found, origin, isOwn };
    };
    const first = await each('a.html', 'set', true);
    expect(first.found).toEqual({});
    expect(first.isOwn).toBe(true);
    const again = await each('a.html', 'get');
    expect(again).toEqual({
      found: { localStorage: 'kept', indexedDB: 'kept', files: 'kept' },
      origin: first.origin,
      isOwn: true,
    });
    const other = await each('b.html', 'get', true);
    expect(other.origin).not.toBe(first.origin);
    expect(other.found).toEqual({ files: expect.stringContaining('NotFoundError') });

    const why = expect.stringMatching(/^SecurityError: this workbook does not ask for storage/);
    const none = await each('none.html', 'set');
    expect(none).toMatchObject({ found: { localStorage: why, indexedDB: why, files: why }, isOwn: false });
  });

  it("without the storage that it requests, the browser's storage says why", async () => {
    const place = newPlace({ 'a.html': pageOf(USES_STORAGE, 'storage,clipboard') });
    const { page } = await browser.visit((await openFile(place, 'a.html')).url);
    for (const name of ['Keep data', 'Use the clipboard'])
      await page.getByRole('checkbox', { name }).uncheck();
    await runButton(page).click();
    const frame = await frameOf(page);
    const why = expect.stringMatching(/^SecurityError: storage was not granted/);
    expect(await frame.evaluate(`each('set')`)).toEqual({ localStorage: why, indexedDB: why, files: why });
    const others = `Promise.all([() => document.cookie, () => { document.cookie = 'a=1'; }, () => caches.open('c'),
      () => indexedDB.databases(), () => navigator.storage.estimate(), () => navigator.storage.persist(),
    ].map(async (use) => use()).map((use) => use.catch(reason)))`;
    expect(await frame.evaluate(others)).toEqual(Array.from({ length: 6 }, () => why));
    expect(await frame.evaluate('navigator.clipboard.writeText("x").catch(reason)')).toMatch(
      /^NotAllowedError: clipboard was not granted/,
    );
  });

  it('without storage, its workers are told why, and theirs', async () => {
    const begins = `<script>
      function use() {
        const uses = [() => indexedDB.open('d'), () => indexedDB.databases(), () => caches.open('c'),
          () => navigator.storage.getDirectory()];
        return Promise.all(uses.map(async (each) => each()).map((used) => used.then(String, String)));
      }
      function begin(text) {
        const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
        const worker = new Worker(url);
        URL.revokeObjectURL(url);
        return worker;
      }
      const USES = use + ';use().then(postMessage)';
      const BEGINS = begin + ';begin(' + JSON.stringify(USES) + ').onmessage = ({ data }) => postMessage(data)';
      const answer = (worker) => new Promise((resolve) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => resolve(message ?? 'does not begin');
      });
    </script>`;
    const place = newPlace({ 'a.html': pageOf(begins) });
    const { page } = await browser.visit((await openFile(place, 'a.html')).url);
    const frame = await frameOf(page);
    const why = expect.stringMatching(/^SecurityError: this workbook does not ask for storage/);
    for (const worker of ['begin(USES)', 'begin(BEGINS)'])
      expect(await frame.evaluate(`answer(${worker})`), worker).toEqual([why, why, why, why]);
    expect(await frame.evaluate('begin(USES) instanceof Worker')).toBe(true);
  });

  it('welcomes a reloaded workbook again, but never a second hello of one load', async () => {
    const place = newPlace({ 'a.html': pageOf(BARE_CLIENT, 'storage') });
    const { page } = await browser.visit((await openFile(place, 'a.html')).url);
    const welcomes = `new Promise((resolve) => {
      let count = 0;
      addEventListener('message', () => { count += 1; });
      for (let i = 0; i < 3; i++) parent.postMessage({ type: 'wb:hello', version: 1 }, '*');
      // Each makes the host ask its server; a value that is kept afterwards comes after all of them.
      ask('persist.set', 'k', 'v').then(() => ask('persist.get', 'k')).then(() => resolve(count));
    })`;
    await runButton(page).click();
    const frame = await frameOf(page);
    await frame.evaluate('welcomed.then(() => 0)');
    expect(await frame.evaluate(welcomes)).toBe(0);
    await frame.evaluate('void setTimeout(() => location.reload(), 0); window.isOld = true');
    await expect
      .poll(() => frame.evaluate('window.isOld === undefined').catch(() => false), NO_LIMIT)
      .toBe(true);
    expect(await welcomeOf(page)).toMatchObject({ type: 'wb:welcome' });
  });

  it('gives a workbook access to the clipboard only after a click in it', async () => {
    // What a test evaluates in a page counts as a gesture: so the page asks by itself, as soon as it runs.
    const body = `${BARE_CLIENT}<button>copy</button><button id="web">web</button><script>
      const tell = (reply) => console.log(JSON.stringify(reply));
      ask('clipboard.read').then(tell);
      document.querySelector('button').onclick = () => ask('clipboard.write', 'from the box').then(tell);
      const why = ({ name, message }) => name + ': ' + message;
      const { clipboard } = navigator;
      clipboard.readText().catch(why).then((text) => console.log('unasked ' + text));
      document.querySelector('#web').onclick = async () => {
        await clipboard.writeText('by the web');
        const [item] = await clipboard.read();
        await clipboard.write([new ClipboardItem({ 'text/plain': await item.getType('text/plain') })]);
        console.log('web ' + (await clipboard.readText()));
      };
    </script>`;
    const place = newPlace({ 'a.html': pageOf(body, 'clipboard') });
    const { page } = await browser.visit((await openFile(place, 'a.html')).url);
    const { origin } = new URL(page.url());
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    const told = (words: string) =>
      page.waitForEvent('console', { predicate: (message) => message.text().includes(words), timeout: 0 });
    const [unasked, unaskedWeb] = await Promise.all([
      told('"id":1'),
      told('unasked'),
      runButton(page).click(),
    ]);
    expect(unaskedWeb.text()).toMatch(/NotAllowedError: only allowed right after a click or a key/);
    expect(JSON.parse(unasked.text())).toMatchObject({ ok: false, error: { code: 'denied' } });
    const frame = await frameOf(page);
    const [asked] = await Promise.all([told('"id":2'), frame.click('button')]);
    expect(JSON.parse(asked.text())).toEqual({ id: 2, ok: true });
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('from the box');
    const [web] = await Promise.all([told('web '), frame.click('#web')]);
    expect(web.text()).toBe('web by the web');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('by the web');
  });

  const WATCH_SAVING = `void new MutationObserver(() => {
    globalThis.sawDisabled ??= document.getElementById('save-yes').disabled;
  }).observe(document.getElementById('save'), { attributeFilter: ['open'] })`;

  it('saves a copy if the user agrees, under a name that is not a path', async () => {
    const body = `<button onclick="ask('share.save', '../.bad/x.exe', '<p>copy</p>').then((r) => { this.textContent = JSON.stringify(r.ok) })">save</button>${BARE_CLIENT}`;
    const place = newPlace({ 'a.html': pageOf(body) });
    const { page } = await browser.visit((await openFile(place, 'a.html')).url);
    const frame = await frameOf(page);
    await page.evaluate(WATCH_SAVING);
    await frame.click('button');
    await page.getByRole('button', { name: 'Do not save' }).click();
    // The second click of a double click finds a button that is not enabled yet.
    expect(await page.evaluate('sawDisabled')).toBe(true);
    await expect.poll(() => frame.textContent('button'), NO_LIMIT).toBe('false');
    await frame.click('button');
    const download = page.waitForEvent('download');
    // The frame may have the focus: then the first click only brings it back.
    await page.locator('#save-what').click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('bad-x.exe.html');
    expect(readFileSync(await saved.path(), 'utf8')).toBe('<p>copy</p>');
  });

  it('hands shared state in the address to the workbook, until something newer is kept', async () => {
    const place = newPlace({ 'a.html': pageOf(BARE_CLIENT, 'storage') });
    const { url } = await openFile(place, 'a.html');
    const { page } = await browser.visit(`${url}#wb=abc`);
    const hash = async () => (await frameOf(page)).evaluate('location.hash');
    await runButton(page).click();
    expect(await hash()).toBe('#wb=abc');
    expect(await ask(page, 'persist.get', 'k')).toMatchObject({ ok: true });
    await page.reload();
    expect(await hash()).toBe('#wb=abc');
    expect(await ask(page, 'persist.set', 'k', 'v')).toMatchObject({ ok: true });
    expect(page.url()).toBe(url);
    await page.reload();
    expect(await hash()).toBe('');
  });

  it('fires submit for forms, but sends none of them', async () => {
    const body = `<form id="add"><input name="what" required><button>Add</button></form><ul></ul>
      <dialog open><form method="dialog"><button value="yes">Yes</button></form></dialog>
      <form id="away" action="/away"><button>Away</button></form>
      <script>
        document.querySelector('#add').onsubmit = (event) => {
          event.preventDefault();
          const item = document.createElement('li');
          item.textContent = new FormData(event.target).get('what');
          document.querySelector('ul').append(item);
        };
        document.addEventListener('securitypolicyviolation', (event) => { window.refused = event.violatedDirective; });
      </script>`;
    const place = newPlace({ 'a.html': pageOf(body) });
    const { page, requests } = await browser.visit((await openFile(place, 'a.html')).url);
    const frame = await frameOf(page);
    await frame.click('text=Add');
    expect(await frame.textContent('ul')).toBe('');
    await frame.fill('[name=what]', 'milk');
    await frame.press('[name=what]', 'Enter');
    expect(await frame.textContent('ul')).toBe('milk');
    await frame.click('text=Yes');
    expect(await frame.evaluate('document.querySelector("dialog").returnValue')).toBe('yes');
    await frame.click('text=Away');
    await expect.poll(() => frame.evaluate('window.refused'), NO_LIMIT).toBe('form-action');
    expect(requests.filter((url) => url.includes('away'))).toEqual([]);
  });

  it('can be answered by keyboard, and a key pressed too early grants nothing', async () => {
    const place = newPlace({ 'a.html': pageOf('<p>x</p>', 'net') });
    const { page } = await browser.visit((await openFile(place, 'a.html')).url);
    await page.getByRole('heading', { name: 'Run “Test page”?' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Space');
    expect(await page.locator('iframe:visible').count()).toBe(0);
    await expect.poll(() => runButton(page).isEnabled(), NO_LIMIT).toBe(true);
    const focused = () => page.evaluate('document.activeElement.id');
    for (const id of ['asks-net', 'run']) {
      await page.keyboard.press('Tab');
      expect(await focused()).toBe(id);
    }
    await page.keyboard.press('Enter');
    await frameOf(page);
  });

  it('shows broken HTML, and pages without a permissions tag, in the same sandbox', async () => {
    const place = newPlace({
      'a.html': '<p id=it>un<b>closed <div></p><script>document.title="ran"</script><table><tr',
    });
    const { page } = await browser.visit((await openFile(place, 'a.html')).url);
    const frame = await frameOf(page);
    expect(await frame.title()).toBe('ran');
    expect(await frame.evaluate('self.origin')).toBe('null');
    expect(await frame.evaluate('document.compatMode')).toBe('BackCompat');
  });
});

describeUnless(noBrowser)('woof open in a browser without connection allowlists', () => {
  const browser = useBrowser({ args: ['--disable-features=ConnectionAllowlists'] });

  it('says what cannot be held back there, and asks even for pages that ask for nothing', async () => {
    const place = newPlace({ 'a.html': pageOf('<p>x</p>') });
    const { page } = await browser.visit((await openFile(place, 'a.html')).url);
    await page.getByText('This browser does not enforce connection allowlists').waitFor();
    await runButton(page).click();
    const frame = await frameOf(page);
    expect(await frame.evaluate('typeof RTCPeerConnection')).toBe('undefined');
  });
});

const PRICES = pageOf(
  `<style>body{font:16px/1.5 system-ui;margin:2rem}table{border-collapse:collapse}td,th{padding:.3rem 1rem;text-align:left}</style>
   <h1>Prices of the week</h1><p>Loaded when it opens; your choice of regions is kept.</p>
   <table><tr><th>Region</th><th>Price</th></tr><tr><td>North</td><td>12.40</td></tr><tr><td>South</td><td>11.90</td></tr></table>`,
  'net,storage,env',
  `<meta name="wb-permission-reasons" content='{"net":"To load the prices of this week.","storage":"To remember which regions you chose."}'>
   <meta name="wb-env" content="API_URL">`,
).replace('Test page', 'Prices of the week');

const IMAGES = new URL('../../docs/images/', import.meta.url);

/** `WOOF_WRITE_IMAGES=1 vitest run e2e/workbook/open.test.ts` writes the images of the documentation. */
describeUnless(noBrowser)('the pictures of the documentation', () => {
  const browser = useBrowser();

  async function take(page: Page, name: string): Promise<void> {
    const picture = await page.screenshot();
    if (!process.env.WOOF_WRITE_IMAGES) return;
    mkdirSync(IMAGES, { recursive: true });
    writeFileSync(new URL(`${name}.png`, IMAGES), picture);
  }

  it.each(['light', 'dark'] as const)('the prompt and the host, %s', async (colorScheme) => {
    const place = newPlace({ 'prices.html': PRICES });
    const { url } = await openFile(place, 'prices.html', '--env', 'API_URL=https://prices.example.org');
    const profile = await browser.newProfile({ colorScheme, viewport: { width: 860, height: 780 } });
    const { page } = await browser.visit(url, profile);
    await expect.poll(() => runButton(page).isEnabled(), NO_LIMIT).toBe(true);
    // All of it is in sight, the button too.
    expect(await page.evaluate('document.querySelector("main").scrollHeight <= innerHeight')).toBe(true);
    if (colorScheme === 'light') await take(page, 'open-prompt');
    await runButton(page).click();
    await frameOf(page);
    await page.getByRole('button', { name: 'Permissions' }).click();
    await page.getByRole('dialog', { name: 'What this workbook may do' }).waitFor();
    if (colorScheme === 'light') await take(page, 'open-host');
  });
});

describe('what woof open refuses', () => {
  const refused = async (name: string, args: string[], files: Record<string, string> = {}) => {
    const place = newPlace(files);
    return { name, ...(await runWoof(['open', ...args], { cwd: place.folder, env: place.env })) };
  };

  it.each([
    ['a file that is not there', ['none.html'], {}, 'there is no such file'],
    ['a folder', ['.'], {}, 'is not a file'],
    ['an empty file', ['a.html'], { 'a.html': ' \n' }, 'is empty'],
    ['plain text', ['a.html'], { 'a.html': 'just words' }, 'is not HTML'],
    ['binary data', ['a.html'], { 'a.html': '\u0000PNG\u0000' }, 'is not HTML'],
    ['a port of the whole network', ['a.html', '--listen', '0.0.0.0:80'], {}, 'expected a port'],
    ['no file', [], {}, 'needs FILE'],
    ['a bad name of a value', ['a.html', '--env', '1=2'], { 'a.html': '<p>' }, 'expected NAME=VALUE'],
    ['an unknown grant', ['--revoke', 'abcdef'], {}, 'no granted hash'],
  ])('%s', async (name, args, files, words) => {
    const ran = await refused(name, args, files as Record<string, string>);
    expect(ran).toMatchObject({ status: 2, stdout: '' });
    expect(ran.stderr).toContain(words);
  });

  it('a secret if there are none, in words about secrets', async () => {
    const place = newPlace({ 'a.html': pageOf('x', 'env') });
    const args = ['open', 'a.html', '--no-browser', '--secret', 'KEY=api.token'];
    const { status, stderr } = await runWoof(args, { cwd: place.folder, env: place.env });
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/there are no secrets in .*woof secret set api/s),
    ]);
    expect(stderr).not.toContain('runs');
  });

  it('a secret without a name for the page', async () => {
    const place = newPlace({ 'a.html': pageOf('x', 'env') });
    const args = ['open', 'a.html', '--no-browser', '--secret', 'api'];
    const { status, stderr } = await runWoof(args, { cwd: place.folder, env: place.env });
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/expected NAME=SECRET.*write --secret api=api/s),
    ]);
  });

  it('200 MB, without reading them', async () => {
    const place = newPlace({});
    const file = join(place.folder, 'large.html');
    writeFileSync(file, '<p>');
    truncateSync(file, 200_000_000);
    const ran = await runWoof(['open', file], { cwd: place.folder, env: place.env });
    expect(ran).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('the limit for a workbook is 160 MiB'),
    });
  });
});
