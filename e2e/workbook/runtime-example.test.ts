/** The example with the runtime: built by `woof build`, opened from a file and from a site, copied, shared. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeUnless } from '@woof/testkit/unless';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Folder } from '../playbook/run-playbook.ts';
import { noBrowser, requestsElsewhere, writePage } from './browser.ts';
import { NO_LIMIT, useBooks } from './runtime-page.ts';

const example = fileURLToPath(new URL('../../examples/budget', import.meta.url));
const IMAGES = new URL('../../docs/images/', import.meta.url);
const folder = new Folder();
afterAll(() => folder.dispose());
const file = join(folder.path, 'budget.html');
let html = '';

beforeAll(async () => {
  const built = await folder.woof('build', example, '-o', file, '--json');
  expect(JSON.parse(built.stdout)).toMatchObject({ kind: 'folder', left: [] });
  html = readFileSync(file, 'utf8');
});

it('is built with the runtime in a script of its own, and passes the check', async () => {
  expect(html).toMatch(/<script data-wb-runtime="\d+\.\d+\.\d+">/);
  expect(html.length).toBeLessThan(60_000);
  const { code, stdout } = await folder.woof('check', file, '--json');
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ diagnostics: [] })]);
});

/** Builds a folder with this page, and returns the text of the workbook. */
async function build(name: string, page: string): Promise<string> {
  const [from, out] = [join(folder.path, name), join(folder.path, `${name}.html`)];
  mkdirSync(from, { recursive: true });
  writeFileSync(join(from, 'index.html'), page);
  expect(await folder.woof('build', from, '-o', out)).toMatchObject({ code: 0 });
  return readFileSync(out, 'utf8');
}

it('has the runtime by its other name too, and only if a module imports it', async () => {
  const page = (code: string) => `<!doctype html><title>a</title><script type="module">${code}</script>`;
  const code = 'import wb from "@work.books/runtime"; document.title = wb.version';
  expect(await build('with', page(code))).toContain('data-wb-runtime');
  expect(await build('without', page('document.title = "b"'))).not.toContain('data-wb-runtime');
});

async function add(page: Page, what: string, amount: string, kind: string): Promise<void> {
  await page.getByLabel('What for').fill(what);
  await page.getByLabel('Amount').fill(amount);
  await page.getByLabel('Kind').selectOption(kind);
  // One by a click, the next by a key.
  if (kind === 'home') await page.getByRole('button', { name: 'Add' }).click();
  else await page.getByLabel('Amount').press('Enter');
}

const shown = async (page: Page) => ({
  entries: await page.locator('#entries tr').allTextContents(),
  left: await page.locator('wb-output[name=left]').textContent(),
});

const FILLED = { entries: ['Renthome700.00Remove', 'Breadfood3.50Remove'], left: '1,296.5' };

describeUnless(noBrowser)('in a browser', () => {
  const books = useBooks();

  it('the first workbook of the page about the runtime does what the page says', async () => {
    const text = readFileSync(new URL('../../docs/workbook-runtime.md', import.meta.url), 'utf8');
    const first = await build('first', /^```html\n(.*?)^```/ms.exec(text)![1]!);
    const { origin } = await books.serve({ '/units.html': first });
    const profile = await books.profile();
    const { page } = await books.visit(`${origin}/units.html`, profile);
    await page.getByLabel('Kilometres').fill('10');
    expect(await page.locator('p').textContent()).toBe('6.214 miles');
    await expect
      .poll(() => page.evaluate(() => wb.persist.flush().then(() => wb.persist.get('km'))), NO_LIMIT)
      .toBe(10);
    const again = await books.visit(`${origin}/units.html`, profile);
    await expect.poll(() => again.page.getByLabel('Kilometres').inputValue(), NO_LIMIT).toBe('10');
    await again.page.getByRole('button', { name: 'Share' }).click();
    await expect.poll(() => again.page.url(), NO_LIMIT).toContain('#wb=');
  });

  it('the budget counts from a file, says that nothing is kept, and gives a copy that opens as it was left', async () => {
    const seen = await books.visit(writePage(html, 'budget.html'));
    expect(await seen.page.locator('wb-output[name=changed]').textContent()).toBe('');
    await add(seen.page, 'Rent', '700', 'home');
    await add(seen.page, 'Bread', '3.5', 'food');
    expect(await shown(seen.page)).toEqual(FILLED);
    expect(await seen.page.getByRole('button', { name: 'Make a link' }).isVisible()).toBe(false);
    expect(await seen.page.evaluate(() => wb.envelope)).toBe(1);
    await seen.page.locator('wb-hint').waitFor(NO_LIMIT);
    await seen.page.setViewportSize({ width: 760, height: 680 });
    const picture = await seen.page.screenshot();
    if (process.env.WOOF_WRITE_IMAGES) writeFileSync(new URL('workbook-from-file.png', IMAGES), picture);
    const [download] = await Promise.all([
      seen.page.waitForEvent('download', NO_LIMIT),
      seen.page.getByRole('button', { name: 'Save a copy of this file' }).click(),
    ]);
    const copy = readFileSync(await download.path(), 'utf8');
    const opened = await books.visit(writePage(copy));
    expect(await shown(opened.page)).toEqual(FILLED);
    expect([requestsElsewhere(seen), requestsElsewhere(opened), seen.errors, opened.errors]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    const out = join(folder.path, 'out');
    expect((await folder.woof('unbundle', fileURLToPath(writePage(copy)), out)).code).toBe(0);
    expect(readFileSync(join(out, 'app.js'))).toEqual(readFileSync(join(example, 'app.js')));
  });

  it('the budget is restored on a site, and can be sent by link', async () => {
    const { origin } = await books.serve({ '/budget.html': html });
    const profile = await books.profile();
    const { page } = await books.visit(`${origin}/budget.html`, profile);
    await add(page, 'Rent', '700', 'home');
    await add(page, 'Bread', '3.5', 'food');
    await expect
      .poll(() => page.evaluate(() => wb.persist.flush().then(() => wb.persist.keys())), NO_LIMIT)
      .toContain('entries');
    const again = await books.visit(`${origin}/budget.html`, profile);
    await expect.poll(() => shown(again.page), NO_LIMIT).toEqual(FILLED);
    await again.page.getByRole('button', { name: 'Make a link' }).click();
    await expect.poll(() => again.page.url(), NO_LIMIT).toContain('#wb=');
    const elsewhere = await books.visit(again.page.url());
    await expect.poll(() => shown(elsewhere.page), NO_LIMIT).toEqual(FILLED);
    await elsewhere.page.getByRole('button', { name: 'Remove' }).first().click();
    expect((await shown(elsewhere.page)).left).toBe('1,996.5');
  });
});
