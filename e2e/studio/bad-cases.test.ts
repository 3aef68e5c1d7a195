/** What Studio says when something is wrong with a token, a run, the server or its store, and that typed words stay. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@woof/client/http';
import { SqliteStore } from '@woof/stores';
import { describeUnless, postgresReason, startPostgres } from '@woof/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type TestServer, testServer, testWorker } from '../../packages/server/src/fixtures/test-server.ts';
import { playbook, temporaryFolder, until } from '../cli/woof.ts';
import { startServer } from '../server/machines.ts';
import { noBrowser, useBrowser } from '../workbook/browser.ts';
import { enter, flaws } from './studio.ts';

const GATE = playbook('- step: start\n  tool: {kind: gate, message: "Ship it?"}\n').replace(
  'test',
  'release',
);
const STUDIO = fileURLToPath(new URL('../../dist/studio', import.meta.url));
const NOTE = 'Note on start of release';

const heading = (page: Page, name: string) => page.getByRole('heading', { name });

/** Browsers keep its cookie only under this name. */
const local = ({ url }: Pick<TestServer, 'url'>) => url.replace('127.0.0.1', 'localhost');

const waiting = async (client: Client): Promise<string> => {
  const { execution_id: id } = await client.call('executions.start', { body: { text: GATE } });
  await until('the run waits', async () => {
    const { status } = await client.call('executions.row', { params: { id } });
    return status === 'needs_human';
  });
  return id;
};

describeUnless(noBrowser)('bad cases in Studio', () => {
  const browser = useBrowser();

  it('an expired token is reported at the login, and its owner finds what they typed after using a new one', async () => {
    let laterMs = 0;
    const test = await testServer({ studio: STUDIO, now: () => Date.now() + laterMs });
    testWorker(test);
    const admin = test.as('admin');
    const id = await waiting(admin);
    const create = async () => {
      const body = { name: 'ann', role: 'operator' as const, expires_in_s: 3600 };
      return (await admin.call('tokens.create', { body })).token;
    };
    const [token, url] = [await create(), local(test)];
    const { page } = await enter({ url, token }, browser, `/runs/${id}`);
    const { code } = await new Client({ url, token }).call('login.code');
    await page.getByLabel(NOTE).fill('fine by me');
    laterMs = 3_601_000;
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Your session has ended. Sign in again; what you typed is kept.').waitFor();
    const signIn = async (shown: string) => {
      await page.getByLabel('Token').fill(shown);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await signIn(token);
    await page.getByRole('alert').getByText('revoked or expired').waitFor();
    expect(await page.getByLabel('Token').inputValue()).toBe(token);
    await signIn(await create());
    await heading(page, 'This run is waiting for approval').waitFor();
    expect(await page.getByLabel(NOTE).inputValue()).toBe('fine by me');
    expect(await page.locator('.notice').count()).toBe(0);
    const { page: late } = await browser.visit(`${url}/#code=${code}`);
    await late.getByRole('alert').getByText('This link was already used or has expired.').waitFor();
    // The control: somebody else finds nothing of it.
    await page.evaluate(() => fetch('/v1/logout', { method: 'POST' }));
    await page.getByRole('button', { name: 'Approve' }).click();
    await signIn(test.tokens.admin);
    await heading(page, 'This run is waiting for approval').waitFor();
    expect(await page.getByLabel(NOTE).inputValue()).toBe('');
  });

  it('a run of a newer version says that the server must be updated', async () => {
    const store = new SqliteStore(`${temporaryFolder()}/woof.db`);
    const test = await testServer({ studio: STUDIO, store });
    testWorker(test);
    const admin = test.as('admin');
    const [id, other] = [await waiting(admin), await waiting(admin)];
    const { events } = await admin.call('executions.events', { params: { id } });
    const newer = { name: 'step.teleported', at: Date.now(), step: 'start' } as never;
    await store.append([{ execution_id: id, expected: events.length, events: [newer] }]);
    const url = local(test);
    const { page } = await enter({ url, token: test.tokens.admin }, browser, `/runs/${id}`);
    const told = page.getByRole('alert').filter({ hasText: '"step.teleported"' });
    await told.getByText('Update Woof on the server.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await flaws(page)).toEqual([]);
    await page.goto(`${url}/compare?a=${id}&b=${other}`);
    await told.getByText('Update Woof on the server.').waitFor();
    await page.goto(`${url}/compare?a=${other}&b=20200101-000000-gone0000`);
    await page
      .getByRole('alert')
      .getByText('It may have been removed, or it belongs to another server.')
      .waitFor();
    // The control: the other run is shown.
    await page.goto(`${url}/runs/${other}`);
    await heading(page, 'This run is waiting for approval').waitFor();
  });

  it('a stopped server is reported on every page, and all of them continue when it is back', async () => {
    const cwd = temporaryFolder();
    const server = await startServer(cwd, { verb: 'up' });
    const id = await waiting(new Client(server));
    const { page: run } = await enter(server, browser, `/runs/${id}`);
    await run.getByLabel(NOTE).fill('fine by me');
    const duration = run.getByRole('region', { name: 'Step' }).locator('dl > div', { hasText: 'Duration' });
    await duration.getByText(/\d s$/).waitFor();
    const { page: secrets } = await enter(server, browser, '/secrets');
    await secrets.getByRole('button', { name: 'Set a secret' }).click();
    await secrets.getByLabel('Name').fill('ftp');
    await secrets.getByLabel('Value').fill('hunter2');
    const { page: inbox } = await enter(server, browser, '/');
    await inbox.getByText('Ship it?').waitFor();
    const { page: later } = await enter(server, browser, `/runs/${id}`);
    await later.getByRole('tab', { name: 'Graph' }).waitFor();
    server.child.kill('SIGTERM');
    await server.ended;
    await run.getByText('Reconnecting…').waitFor();
    expect(await duration.innerText()).toMatch(/\d s$/);
    await run.getByRole('button', { name: 'Approve' }).click();
    await run.locator('.notice', { hasText: 'Check that the server is running, then try again.' }).waitFor();
    await secrets.getByRole('button', { name: 'Set', exact: true }).click();
    await secrets.getByRole('dialog').getByText('Check that the server is running').waitFor();
    await inbox.getByText('reconnecting…').waitFor();
    await inbox.getByRole('link', { name: 'Runs', exact: true }).click();
    await inbox.getByRole('alert').getByText('Check that the server is running').waitFor();
    // What is loaded when somebody opens it.
    await run.locator('summary', { hasText: 'Input' }).click();
    await run.getByText('does not answer (Failed to fetch)').first().waitFor();
    await later.getByRole('button', { name: 'Sign out' }).click();
    await later.locator('.notice', { hasText: 'Check that the server is running' }).waitFor();
    await later.getByRole('link', { name: 'Workers' }).click();
    await later.getByRole('alert').getByText('Check that the server is running').waitFor();
    // Also a page that holds no connection, and showed its data before.
    await secrets.locator('main > .problem').getByText('Check that the server is running').waitFor();
    const port = Number(new URL(server.url).port);
    const again = await startServer(cwd, { verb: 'up', port });
    await later.getByRole('heading', { name: 'Workers and queue' }).waitFor();
    await run.getByLabel('Input', { exact: true }).getByText('Ship it?').waitFor();
    await inbox.getByRole('row', { name: /release/ }).waitFor();
    await run.getByText('Reconnecting…').waitFor({ state: 'detached' });
    expect(await run.getByLabel(NOTE).inputValue()).toBe('fine by me');
    expect(await secrets.getByLabel('Value').inputValue()).toBe('hunter2');
    await secrets.getByRole('button', { name: 'Set', exact: true }).click();
    await secrets.getByRole('cell', { name: 'ftp' }).waitFor();
    again.child.kill();
  });
});

describeUnless(noBrowser)('a server that was updated', () => {
  const browser = useBrowser();

  it('is reported where the page needs code that the server no longer has', async () => {
    const test = await testServer({ studio: STUDIO });
    const { page } = await enter({ url: local(test), token: test.tokens.admin }, browser);
    await page.route(/\/studio\/workers-/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Workers' }).click();
    await heading(page, 'This page must be reloaded').waitFor();
    expect(await flaws(page)).toEqual([]);
    await page.unroute(/\/studio\/workers-/);
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await heading(page, 'Workers and queue').waitFor();
  });
});

describeUnless(noBrowser)('a page whose code does not load', () => {
  const browser = useBrowser();

  it('is tried again while somebody looks, in one loop, or by a button', async () => {
    const test = await testServer({ studio: STUDIO });
    const { page } = await enter({ url: local(test), token: test.tokens.admin }, browser);
    await page.clock.install();
    let asked = 0;
    await page.route(/\/studio\/workers-/, (route) => route.abort());
    await page.route(/\/v1\/me$/, (route) => {
      asked += 1;
      return route.abort();
    });
    const away = page.getByRole('alert').getByText('Check that the server is running');
    const open = (name: string) => page.getByRole('link', { name, exact: true }).click();
    for (const name of ['Workers', 'Secrets', 'Workers', 'Secrets', 'Workers']) {
      await open(name);
      if (name === 'Workers') await away.waitFor();
    }
    const before = asked;
    await page.clock.runFor(2000);
    await expect.poll(() => asked).toBe(before + 1);
    await open('Secrets');
    await page.clock.runFor(10_000);
    expect(asked).toBe(before + 1);
    await page.unroute(/\/v1\/me$/);
    const busy = { status: 429, code: 'request/too-many', detail: 'too many calls' };
    await page.route(/\/v1\/me$/, (route) => route.fulfill({ status: 429, json: busy }));
    await open('Workers');
    await page.getByRole('alert').getByText('Too many calls').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Workers and queue').waitFor();
  });
});

describeUnless(noBrowser)('a run that is gone', () => {
  const browser = useBrowser();

  it('says so when the data of the server was replaced while its page was open', async () => {
    const cwd = temporaryFolder();
    const server = await startServer(cwd, { verb: 'up' });
    const id = await waiting(new Client(server));
    const { page } = await enter(server, browser, `/runs/${id}`);
    await heading(page, 'This run is waiting for approval').waitFor();
    server.child.kill('SIGTERM');
    await server.ended;
    const port = Number(new URL(server.url).port);
    const replaced = await startServer(cwd, { verb: 'up', port, data: join(cwd, 'other') });
    await page.getByText('Your session has ended.').waitFor();
    await page.getByLabel('Token').fill(replaced.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Run not found').waitFor();
    expect(await flaws(page)).toEqual([]);
    await page.getByRole('link', { name: 'See all runs' }).click();
    await heading(page, 'Runs').waitFor();
    replaced.child.kill();
  });
});

describeUnless(noBrowser ?? postgresReason())('a server that lost its store', () => {
  const browser = useBrowser();

  it('says so on pages that are open, that are opened and at the login, until the store is back', async () => {
    const postgres = await startPostgres();
    const cwd = temporaryFolder();
    const server = await startServer(cwd, { verb: 'up', more: ['--store', postgres.url()] });
    const id = await waiting(new Client(server));
    const { page: run } = await enter(server, browser, `/runs/${id}`);
    await run.getByLabel(NOTE).fill('fine by me');
    const { page: inbox } = await enter(server, browser, '/');
    await inbox.getByText('Ship it?').waitFor();
    const { page: login } = await browser.visit(server.url);
    await login.getByLabel('Token').fill(server.token);
    const lost = 'The server lost its store.';
    await postgres.stop('immediate');
    await run.getByRole('button', { name: 'Approve' }).click();
    await run.locator('.notice', { hasText: lost }).waitFor();
    await run.locator('.away-banner', { hasText: lost }).waitFor();
    expect(await run.getByLabel(NOTE).inputValue()).toBe('fine by me');
    await login.getByRole('button', { name: 'Sign in' }).click();
    await login.getByRole('alert').getByText(lost).waitFor();
    await inbox.locator('.away-banner', { hasText: lost }).waitFor();
    await until('the server has to look up the session, which it remembers for some seconds', async () => {
      await inbox.reload();
      await inbox.getByText(lost).first().waitFor();
      return heading(inbox, 'Woof Studio').isVisible();
    });
    await inbox.getByRole('alert').getByText(lost).waitFor();
    expect(await flaws(inbox)).toEqual([]);
    await postgres.start();
    await heading(inbox, 'Inbox').waitFor();
    await run.locator('.away-banner').waitFor({ state: 'detached' });
    await run.getByRole('button', { name: 'Approve' }).click();
    await run.locator('.facts', { hasText: 'succeeded' }).waitFor();
    await login.getByRole('button', { name: 'Sign in' }).click();
    await heading(login, 'Inbox').waitFor();
    server.child.kill();
    await server.ended;
    await postgres.dispose();
  });
});
