/** The documentation site in a browser, as a server shows it. */
import { fileURLToPath } from 'node:url';
import { describeUnless } from '@woof/testkit/unless';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testServer } from '../../packages/server/src/fixtures/test-server.ts';
import { noBrowser, useBrowser, type Visit } from '../workbook/browser.ts';

const docs = fileURLToPath(new URL('../../dist/docs', import.meta.url));

describeUnless(noBrowser)('the documentation at /docs', () => {
  const browser = useBrowser();
  const ends: (() => void | Promise<void>)[] = [];
  let url: string;
  beforeAll(async () => {
    ({ url } = await testServer({ docs }, (end) => ends.unshift(end)));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  const expectQuiet = ({ requests, errors }: Visit) => {
    expect(errors).toEqual([]);
    expect(requests.filter((each) => !each.startsWith(`${url}/docs`))).toEqual([]);
  };

  it('leads from the first page to another, and from there to a section', async () => {
    const visit = await browser.visit(`${url}/docs`);
    const { page } = visit;
    await page.locator('article').getByRole('link', { name: 'Playbooks', exact: true }).first().click();
    await page.waitForURL(`${url}/docs/playbooks.html`);
    expect(await page.title()).toBe('Playbooks · Woof');
    await page.locator('aside').getByRole('link', { name: 'Loops' }).click();
    expect(page.url()).toMatch(/playbooks\.html#loops$/);
    expect(await page.locator('h2#loops').isVisible()).toBe(true);
    await page.locator('nav').getByRole('link', { name: 'Tools', exact: true }).click();
    await page.locator('nav').getByRole('link', { name: 'http', exact: true }).click();
    await page.waitForURL(`${url}/docs/tools/http.html`);
    expectQuiet(visit);
  });

  it('search finds a page by a word, even with a typo', async () => {
    const visit = await browser.visit(`${url}/docs/tools/http.html`);
    const { page } = visit;
    await page.keyboard.press('/');
    await page.keyboard.type('idempotency keys');
    const found = page.locator('#found a').filter({ hasText: 'Events › Idempotency keys' });
    await found.waitFor();
    expect(await found.locator('mark').count()).toBeGreaterThan(0);
    await page.getByRole('searchbox').fill('idempotancy');
    await found.click();
    await page.waitForURL(`${url}/docs/events.html#idempotency-keys`);
    await page.getByRole('searchbox').fill('nothingiscalledlikethis');
    await page.getByText('No page has “nothingiscalledlikethis”.').waitFor();
    expectQuiet(visit);
  });

  it('goes dark and light, keeps the choice, and follows the system without one', async () => {
    const visit = await browser.visit(`${url}/docs/`);
    const { page } = visit;
    const paper = (of: Visit['page']) =>
      of.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const button = page.getByRole('button', { name: 'Dark mode' });
    const light = await paper(page);
    await button.click();
    const dark = await paper(page);
    expect(dark).not.toBe(light);
    expect(await button.getAttribute('aria-pressed')).toBe('true');
    await page.reload();
    expect(await paper(page)).toBe(dark);
    await button.click();
    expect(await paper(page)).toBe(light);
    expectQuiet(visit);
    const system = await browser.visit(`${url}/docs/`, await browser.newProfile({ colorScheme: 'dark' }));
    expect(await paper(system.page)).toBe(dark);
  });

  it('fits a phone, whose menu opens over the page, and can be read without scripts', async () => {
    const phone = { viewport: { width: 360, height: 740 }, javaScriptEnabled: false };
    const visit = await browser.visit(`${url}/docs/diagnostics.html`, await browser.newProfile(phone));
    const { page } = visit;
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    const link = page.locator('nav').getByRole('link', { name: 'Events', exact: true });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Menu', exact: true }).click();
    await link.click();
    await page.waitForURL(`${url}/docs/events.html`);
    expect(await page.getByRole('searchbox').isVisible()).toBe(false);
    expectQuiet(visit);
  });

  it('offers a page to try the calls, and a way back', async () => {
    const { page, errors } = await browser.visit(`${url}/docs/`);
    await page.getByRole('link', { name: 'Try the HTTP API' }).click();
    await page.getByText('GET/healthz').click();
    await page.locator('details[open]').getByRole('button', { name: 'Send' }).click();
    await page.locator('details[open] pre').filter({ hasText: '200 OK' }).waitFor();
    await page.getByRole('link', { name: 'Documentation' }).click();
    await page.waitForURL(`${url}/docs/`);
    expect(errors).toEqual([]);
  });
});
