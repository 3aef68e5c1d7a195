/** Every page of Studio as people use it: in both themes, on a phone, by keyboard, in every role. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describeUnless } from '@woof/testkit/unless';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lastJson, playbook } from '../cli/woof.ts';
import { ask } from '../server/machines.ts';
import { noBrowser, useBrowser } from '../workbook/browser.ts';
import { bringBehind, settled, tabTo } from './in-page.ts';
import { enter, flaws, type Studio, startStudio } from './studio.ts';

const TOTALS = playbook(
  `- step: start
  tool: {kind: noop, result: {rows: [3, 5, 8]}}
  next: {arcs: [{step: each}]}
- step: each
  loop: {in: "{{ start.rows }}", iterator: row}
  tool: {kind: noop, result: "{{ row * 2 }}"}
  next: {arcs: [{step: average}]}
- step: average
  tool:
    kind: python
    args: {rows: "{{ each.results }}", parts: "{{ workload.parts }}"}
    code: |
      print(f"{len(rows)} rows in {parts} parts")
      result = sum(rows) / parts
  next: {arcs: [{step: report}]}
- step: report
  tool: {kind: noop, result: "{{ average }}"}
`,
  'workload: {parts: 2, region: eu}\n',
).replace('test', 'totals');

const FILES = {
  'totals.yaml': TOTALS,
  'gate.yaml': playbook('- step: start\n  tool: {kind: gate, message: "Ship it?"}\n').replace(
    'test',
    'release',
  ),
  'long.yaml': playbook('- step: start\n  tool: {kind: wait, seconds: 86400}\n').replace('test', 'long'),
};

const PAGES = {
  inbox: ['/', 'Inbox'],
  runs: ['/runs', 'Runs'],
  schedules: ['/schedules?schedule=totals', 'Schedules'],
  workers: ['/workers', 'Workers and queue'],
  secrets: ['/secrets', 'Secrets'],
  access: ['/access', 'Tokens and audit'],
  run: ['/runs/FAILED', 'totals'],
  compare: ['/compare?a=GOOD&b=FAILED', 'Compare two runs'],
} as const;

const IMAGES = new URL('../../docs/images/', import.meta.url);

/** Returns the ids of the runs in the addresses of pages. */
async function seed({ cwd, client, ...server }: Studio): Promise<Record<string, string>> {
  const submit = async (...args: string[]) =>
    lastJson(await ask(server, cwd, 'submit', ...args, '--json')).execution_id;
  const GOOD = await submit('totals.yaml', '--wait');
  const FAILED = await submit('totals.yaml', '--set', 'parts=0', '--wait');
  await submit('gate.yaml');
  await submit('long.yaml');
  await client.call('documents.register', { body: { path: 'totals', text: TOTALS } });
  await client.call('schedules.create', {
    body: { schedule_id: 'totals', path: 'totals', cron: '0 3 * * *' },
  });
  await client.call('secrets.put', {
    params: { name: 'warehouse' },
    body: { fields: { user: 'u', password: 'p' } },
  });
  return { GOOD, FAILED };
}

/** `WOOF_WRITE_IMAGES=1` writes the images of the documentation. */
async function picture(page: Page, name: string): Promise<void> {
  const bytes = await page.screenshot();
  if (!process.env.WOOF_WRITE_IMAGES) return;
  mkdirSync(IMAGES, { recursive: true });
  writeFileSync(new URL(`studio-${name}.png`, IMAGES), bytes);
}

/** Cells that do not name their column: in a row, all but its title and cells without a column. */
const unlabelled = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('tbody td:not(:first-child, .what, .act, :empty)')]
      .filter((cell) => cell.closest('table.labelled') !== null)
      .filter((cell) => !/^".+"$/.test(getComputedStyle(cell, '::before').content))
      .map((cell) => cell.outerHTML),
  );

const DIST = new URL('../../dist/studio/', import.meta.url);

/** Files of Studio, and what they import: a browser does not report what a worker imports. */
function withImports(files: readonly string[]): string[] {
  const found = new Set(files);
  for (const name of found) {
    const text = name.endsWith('.js') ? readFileSync(new URL(name, DIST), 'utf8') : '';
    for (const [, imported] of text.matchAll(/\bfrom\s*"\.\/([\w.-]+)"/g)) found.add(imported!);
  }
  return [...found];
}

/** How many bytes of them are sent over the network. */
const packed = (files: readonly string[], end: string) =>
  files
    .filter((name) => name.endsWith(end))
    .reduce((sum, name) => sum + statSync(new URL(`${name}.gz`, DIST)).size, 0);

describeUnless(noBrowser)('the pages of Studio', () => {
  const browser = useBrowser();
  let studio: Studio;
  let ids: Record<string, string>;
  const addressOf = (path: string) => path.replaceAll(/\b[A-Z]+\b/g, (name) => ids[name] ?? name);
  beforeAll(async () => {
    studio = await startStudio(FILES);
    ids = await seed(studio);
  });
  afterAll(() => studio.child.kill());

  describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
    it.each(Object.entries(PAGES))('%s has nothing that axe-core objects to', async (name, [path, title]) => {
      const profile = await browser.newProfile({ colorScheme, viewport: { width: 1280, height: 800 } });
      const { page, errors } = await enter(studio, browser, addressOf(path), profile);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await settled(page);
      expect(await flaws(page)).toEqual([]);
      // Before the code is exchanged nobody is signed in. There are no other errors.
      expect(errors.filter((error) => !error.includes('401'))).toEqual([]);
      await picture(page, `${name}-${colorScheme}`);
      await profile.close();
    });

    it('the login has nothing that axe-core objects to, also when it refuses', async () => {
      const profile = await browser.newProfile({ colorScheme, viewport: { width: 1280, height: 800 } });
      const { page } = await browser.visit(`${studio.url}/runs`, profile);
      await page.getByLabel('Token').waitFor();
      expect(await flaws(page)).toEqual([]);
      await picture(page, `login-${colorScheme}`);
      await page.getByLabel('Token').fill('woof_wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText('Sign in again with a token that is valid.').waitFor();
      expect(await flaws(page)).toEqual([]);
      await profile.close();
    });
  });

  it.each(Object.entries(PAGES))('%s cuts nothing off on a screen of 360 px', async (_, [path, title]) => {
    const profile = await browser.newProfile({ viewport: { width: 360, height: 700 } });
    const { page } = await enter(studio, browser, addressOf(path), profile);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await settled(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect((await page.locator('header.frame').boundingBox())!.height).toBeLessThan(56);
    expect(await unlabelled(page)).toEqual([]);
    await profile.close();
  });

  it('a form cuts nothing off on a screen of 360 px', async () => {
    const profile = await browser.newProfile({ viewport: { width: 360, height: 700 } });
    const { page } = await enter(studio, browser, '/secrets', profile);
    await page.getByRole('button', { name: 'Set a secret' }).click();
    const { x, width } = (await page.getByRole('dialog').boundingBox())!;
    const value = (await page.getByLabel('Value').boundingBox())!;
    expect(value.x + value.width).toBeLessThan(x + width);
    await profile.close();
  });

  it('asks nothing of any other address, and loads little code for all of the first pages together', async () => {
    const empty = await startStudio(FILES);
    const profile = await browser.newProfile();
    const { page, requests } = await browser.visit(`${empty.url}/`, profile);
    await page.getByLabel('Token').fill(empty.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Run shop.yaml' }).waitFor();
    const here = Object.fromEntries(
      Object.entries(await seed(empty)).map(([name, id]) => [name, `/runs/${id}`]),
    );
    const isElsewhere = (url: string) => !url.startsWith(`${empty.url}/`) && !url.startsWith('data:');
    for (const path of ['/', '/runs', here.GOOD!, here.FAILED!]) {
      await page.goto(`${empty.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      for (const tab of await page.getByRole('tab').all()) await tab.click();
      await settled(page);
      expect(requests.filter(isElsewhere)).toEqual([]);
    }
    const files = withImports(requests.flatMap((url) => /\/studio\/([\w.-]+)$/.exec(url)?.slice(1) ?? []));
    // The control: code that is loaded later, and by the worker, is included.
    for (const name of ['main-', 'first-steps-', 'fold-worker-', 'feed-messages-'])
      expect(files.filter((file) => file.startsWith(name))).toHaveLength(1);
    expect(packed(files, '.js')).toBeLessThanOrEqual(60_000);
    expect(packed(files, '.css')).toBeLessThanOrEqual(12_000);
    empty.child.kill();
    await profile.close();
  });

  it('offers a viewer nothing that would be refused', async () => {
    const { token } = await studio.client.call('tokens.create', { body: { name: 'eve', role: 'viewer' } });
    const { page } = await enter({ ...studio, token }, browser, '/');
    await page.getByText('Ship it?').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Secrets' }).count()).toBe(0);
    await page.goto(`${studio.url}/schedules?schedule=totals`);
    await page.getByRole('heading', { name: 'Next start times' }).waitFor();
    expect(await page.getByRole('button', { name: 'Run now' }).count()).toBe(0);
    await page.goto(`${studio.url}/secrets`);
    await page.getByText('This page needs the role admin; your token has the role viewer.').waitFor();
    await page.goto(`${studio.url}/runs`);
    await page.getByRole('row', { name: /release/ }).waitFor();
    expect(await page.getByRole('checkbox', { name: /^Select/ }).count()).toBe(0);
    // The control: an admin is offered all of it.
    const admin = await enter(studio, browser, '/schedules?schedule=totals');
    await admin.page.getByRole('button', { name: 'Run now' }).waitFor();
    expect(await admin.page.getByRole('link', { name: 'Secrets' }).count()).toBe(1);
    await admin.page.getByRole('link', { name: 'Runs', exact: true }).click();
    await admin.page.getByRole('checkbox', { name: 'Select all that are shown' }).waitFor();
  });

  it('starts a backfill only for the range that was previewed', async () => {
    const { page } = await enter(studio, browser, '/schedules?schedule=totals');
    await page.getByRole('button', { name: 'Backfill…' }).click();
    const dialog = page.getByRole('dialog');
    let answer = () => {};
    const isAsked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/backfill', async (route) => {
      await isAsked;
      await route.continue();
    });
    await dialog.getByLabel('From').fill('2026-01-01T00:00');
    await dialog.getByLabel('To').fill('2026-01-03T12:00');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByLabel('To').fill('2026-02-01T12:00');
    const answered = page.waitForResponse('**/backfill');
    answer();
    await (await answered).finished();
    // The control: the second preview comes after the first was answered, and is shown.
    expect(await dialog.getByRole('button', { name: /^Start/ }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByRole('button', { name: /^Start 3\d runs/ }).waitFor();
    const times = dialog.getByRole('region', { name: 'Start times' }).getByRole('listitem');
    await dialog.getByRole('button', { name: `Start ${await times.count()} runs` }).waitFor();
    await dialog.getByLabel('To').fill('2026-01-03T12:00');
    expect(await dialog.getByRole('button', { name: /^Start/ }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'All runs of totals' }).click();
    await page.getByText('No runs match this filter.').waitFor();
    await page.getByRole('button', { name: 'Remove path: totals' }).click();
    await page.getByRole('row', { name: /release/ }).waitFor();
  });

  it('keeps a form and what was typed into it when the session ends, and forgets it when somebody leaves', async () => {
    const { page } = await enter(studio, browser, '/secrets');
    await page.getByRole('button', { name: 'Set a secret' }).click();
    await page.getByLabel('Name').fill('ftp');
    await page.getByLabel('Value').fill('hunter2');
    await page.evaluate(() => fetch('/v1/logout', { method: 'POST' }));
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText('what you typed is kept').waitFor();
    const signIn = async () => {
      await page.getByLabel('Token').fill(studio.token);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await signIn();
    expect(await page.getByLabel('Name').inputValue()).toBe('ftp');
    expect(await page.getByLabel('Value').inputValue()).toBe('hunter2');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Set a secret' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    await page.getByLabel('Name').fill('ftp');
    await page.evaluate(() => {
      const button = [...document.querySelectorAll('button')].find((one) => one.innerText === 'Sign out');
      button!.click();
    });
    await signIn();
    await page.getByRole('heading', { level: 1, name: 'Secrets' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('shows rows as they change, without a reload', async () => {
    const { page } = await enter(studio, browser, '/runs');
    await page.getByRole('row', { name: /release/ }).waitFor();
    await ask(studio, studio.cwd, 'submit', 'totals.yaml', '--wait');
    await page
      .getByRole('row', { name: /succeeded.*totals/ })
      .nth(1)
      .waitFor();
  });

  it('connects again if its tab is left and seen while it looks whether the server is back', async () => {
    const { page } = await enter(studio, browser, '/secrets');
    await page.route(/\/v1\/changes$/, (route) => route.fulfill({ status: 503 }));
    const asked = new Promise<Route>((resolve) => void page.route(/\/v1\/me$/, resolve));
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('reconnecting…').waitFor();
    const look = await asked;
    await bringBehind(page, true);
    const answered = page.waitForResponse(/\/v1\/me$/);
    await look.continue();
    await (await answered).finished();
    // Whatever the page does with the answer, it does before it gets this one.
    await page.evaluate(async () => (await fetch('/v1/executions?limit=1')).text());
    await page.unrouteAll();
    const connected = page.waitForRequest(/\/v1\/changes$/);
    await bringBehind(page, false);
    await connected;
    await page.getByText('reconnecting…').waitFor({ state: 'detached' });
  });

  it('takes the keys that are pressed while the palette loads its choices', async () => {
    const { page } = await enter(studio, browser, '/runs');
    const asked = new Promise<Route>((resolve) => void page.route(/\/studio\/found-/, resolve));
    await page.keyboard.press('Control+k');
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await (await asked).continue();
    await page.waitForURL((url) => !['/', '/runs'].includes(url.pathname));
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('signs in, finds, filters, answers and sets things by keyboard alone', async () => {
    const { page } = await browser.visit(`${studio.url}/runs`);
    await page.locator('form.login').waitFor();
    const { keyboard } = page;
    await tabTo(page, /Token/);
    await keyboard.type(studio.token);
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();

    await keyboard.press('/');
    await keyboard.type('ZeroDiv');
    await page.waitForURL(/q=ZeroDiv/);
    await page
      .getByRole('row', { name: /release/ })
      .first()
      .waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /failed.*totals/ }).waitFor();

    await tabTo(page, /failed/);
    await keyboard.press('Space');
    await page.waitForURL(/status=failed/);

    await keyboard.press('g');
    await keyboard.press('i');
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await tabTo(page, /Note on start/);
    await keyboard.type('fine by me');
    await tabTo(page, /^Approve$/);
    await keyboard.press('Enter');
    await page.getByText('start approved').waitFor();
    const { entries } = await studio.client.call('audit.list', { query: { limit: 5 } });
    expect(entries.find(({ what }) => what === 'executions.approve')?.who).toContain(
      'admin of this directory',
    );

    await keyboard.press('Control+k');
    await keyboard.type('secre');
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Secrets' }).waitFor();
    await tabTo(page, /Set a secret/);
    await keyboard.press('Enter');
    await tabTo(page, /^Name$/);
    await keyboard.type('mail');
    await tabTo(page, /^Value$/);
    await keyboard.type('hunter2');
    await keyboard.press('Enter');
    await page.getByRole('cell', { name: 'mail' }).waitFor();

    await keyboard.press('g');
    await keyboard.press('s');
    await tabTo(page, /^totals/);
    await keyboard.press('Enter');
    await tabTo(page, /^Pause$/);
    await keyboard.press('Enter');
    await page.getByText('totals is paused').waitFor();

    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await keyboard.press('Escape');
    await tabTo(page, /^Sign out$/);
    await keyboard.press('Enter');
    await page.locator('form.login').waitFor();
  });
});

describeUnless(noBrowser)('the first minute', () => {
  const browser = useBrowser();

  it('opens signed in by the link, once, and runs each example with one click', async () => {
    const studio = await startStudio();
    const { code } = await studio.client.call('login.code');
    const link = `${studio.url}/#code=${code}`;
    const { page } = await browser.visit(link);
    await page.getByRole('heading', { level: 1, name: 'Welcome to Woof' }).waitFor();
    expect(page.url()).toBe(`${studio.url}/`);
    expect(await flaws(page)).toEqual([]);
    for (const file of ['approval.yaml', 'shop.yaml', 'prices.woofnb']) {
      await page.getByRole('button', { name: `Run ${file}` }).click();
      await page.getByRole('heading', { level: 1, name: file.split('.')[0]! }).waitFor();
      await page.getByRole('link', { name: 'Inbox' }).click();
      await page.getByText('Examples to try').click();
    }
    const second = await browser.visit(link);
    await second.page.getByRole('alert').getByText('This link was already used or has expired.').waitFor();
    studio.child.kill();
  });
});
