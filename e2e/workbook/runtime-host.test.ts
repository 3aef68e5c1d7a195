/** The runtime inside the real host: what a workbook keeps, gets and gives away through `woof open`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeUnless } from '@woof/testkit/unless';
import type { Frame, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { runWoof } from '../cli/woof.ts';
import { noBrowser, useBrowser, writePage } from './browser.ts';
import { frameOf, newPlace, openFile, runButton } from './opened.ts';
import { makeBook, NO_LIMIT } from './runtime-page.ts';

const example = fileURLToPath(new URL('../../examples/budget', import.meta.url));

async function add(frame: Frame, what: string, amount: string): Promise<void> {
  await frame.getByLabel('What for').fill(what);
  await frame.getByLabel('Amount').fill(amount);
  await frame.getByRole('button', { name: 'Add' }).click();
}

const rows = (frame: Frame) => frame.locator('#entries tr').allTextContents();

describeUnless(noBrowser)('the runtime inside woof open', () => {
  const browser = useBrowser();

  async function open(place: ReturnType<typeof newPlace>, file: string, ...args: string[]) {
    const opened = await openFile(place, file, ...args);
    const { page } = await browser.visit(opened.url);
    return { ...opened, page };
  }

  async function run(page: Page): Promise<Frame> {
    await runButton(page).click(NO_LIMIT);
    return frameOf(page);
  }

  it('keeps the example for the next time, and saves a copy of it that opens as it was left', async () => {
    const place = newPlace({});
    const { folder: cwd, env } = place;
    expect((await runWoof(['build', example, '-o', 'budget.html'], { cwd, env })).status).toBe(0);
    const first = await open(place, 'budget.html');
    const frame = await run(first.page);
    expect(await frame.evaluate(() => wb.ready.then(({ setting }) => setting))).toBe('host');
    await add(frame, 'Rent', '700');
    await add(frame, 'Bread', '3.5');
    await expect
      .poll(() => frame.evaluate(() => wb.persist.flush().then(() => wb.persist.get('entries'))), NO_LIMIT)
      .toHaveLength(2);
    await first.stop();

    const { page } = await open(place, 'budget.html');
    const again = await frameOf(page);
    const kept = ['Renthome700.00Remove', 'Breadhome3.50Remove'];
    await expect.poll(() => rows(again), NO_LIMIT).toEqual(kept);
    expect(await again.getByRole('button', { name: 'Make a link' }).isVisible()).toBe(false);
    await again.getByRole('button', { name: 'Save a copy of this file' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download', NO_LIMIT),
      page.getByRole('button', { name: 'Save', exact: true }).click(),
    ]);
    const copy = readFileSync(await download.path(), 'utf8');
    const { page: elsewhere } = await browser.visit(writePage(copy));
    expect(await rows(elsewhere.mainFrame())).toEqual(kept);
  });

  it('keeps Date, Map, BigInt and bytes over a restart, and writes no secret', async () => {
    const head = '<meta name="wb-env" content="REGION API_KEY">';
    const place = newPlace({ 'a.html': makeBook({ head }) });
    const args = ['--env', 'REGION=north-1', '--env', 'API_KEY=k-0123456789'];
    const first = await open(place, 'a.html', ...args);
    const frame = await run(first.page);
    const answers = await frame.evaluate(async () => {
      await wb.ready;
      const value = { at: new Date(5), big: 2n ** 70n, map: new Map([['a', 1]]), bytes: new Uint8Array([7]) };
      const leak = await wb.persist.set('b', [wb.env.get('API_KEY')]).catch(({ code }) => code);
      return [wb.env.names().sort(), await wb.persist.set('a', value), leak, await wb.persist.keys()];
    });
    expect(answers).toEqual([['API_KEY', 'REGION'], true, 'secret', ['a']]);
    await first.stop();
    const again = await frameOf((await open(place, 'a.html', ...args)).page);
    const found = await again.evaluate(async () => {
      const value = await wb.persist.get<{
        at: Date;
        big: bigint;
        map: Map<string, number>;
        bytes: Uint8Array;
      }>('a');
      const { at, big, map, bytes } = value!;
      return [at.getTime(), big === 2n ** 70n, map.get('a'), [...bytes]];
    });
    expect(found).toEqual([5, true, 1, [7]]);
  });

  it('keeps nothing without a grant, and says so', async () => {
    const place = newPlace({ 'a.html': makeBook({ permissions: ['storage', 'clipboard'] }) });
    const { page } = await open(place, 'a.html');
    await page.getByRole('checkbox', { name: 'Keep data' }).uncheck(NO_LIMIT);
    const frame = await run(page);
    expect(await frame.evaluate(() => wb.persist.set('a', 1))).toBe(false);
    const can = await frame.evaluate(() => wb.can);
    expect(can).toMatchObject({
      setting: 'host',
      persist: { ok: false },
      clipboard: { ok: true },
      link: { ok: false },
    });
    await frame.locator('wb-hint').waitFor(NO_LIMIT);
  });
});
