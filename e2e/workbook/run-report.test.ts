/** `woof build RUN`: a page that replays the run from its own log, offline, and shows at each moment what was then. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { readWorkbook, unpackBundle } from '@woof/documents/workbook';
import { describeUnless } from '@woof/testkit';
import { expect, it } from 'vitest';
import { lastJson, runWoof, temporaryFolder } from '../cli/woof.ts';
import { noBrowser, requestsElsewhere, useBrowser } from './browser.ts';

/** A busy machine may be slow. */
const NO_LIMIT = { timeout: 100_000 };
const HOSTILE = '</script><img src=x onerror="document.title=`owned`"><!-- <script>';
const playbook = (name: string) => `
apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: ${JSON.stringify(name)}}
workload: {items: [1, 2, 3]}
workflow:
  - step: start
    loop: {in: "{{ workload.items }}", iterator: item, spec: {mode: sequential}}
    tool: {kind: noop, result: "{{ item * 2 }}"}
    next: {arcs: [{step: say}]}
  - step: say
    tool: {kind: noop, result: ${JSON.stringify(HOSTILE)}}
    next: {arcs: [{step: break, when: "{{ workload.fail | default(false) }}"}]}
  - step: break
    tool: {kind: noop, result: "{{ 1 // 0 }}"}
`;

async function report(flags: string[] = [], name = `report ${HOSTILE}`) {
  const cwd = temporaryFolder({ 'p.yaml': playbook(name) });
  const ran = await runWoof(['run', 'p.yaml', '--json', ...flags], { cwd });
  const built = await runWoof(['build', 'last', '-o', 'r.html', '--json'], { cwd });
  expect(built.status, built.stderr).toBe(0);
  const file = join(cwd, 'r.html');
  return { cwd, ran: lastJson(ran), built: lastJson(built), file, url: pathToFileURL(file).href };
}

it('gives the same bytes for the same run, names no folder of the machine, and says what it wrote', async () => {
  const { cwd, built, file } = await report();
  const bytes = readFileSync(file);
  expect(built).toEqual({ file: 'r.html', kind: 'run', bytes: bytes.length, left: [] });
  await runWoof(['build', 'last', '-o', 'r.html'], { cwd });
  expect(readFileSync(file).equals(bytes)).toBe(true);
  const { bundle } = readWorkbook(bytes.toString());
  const files = unpackBundle(bundle!, (gzipped) => gunzipSync(gzipped)).bundle!.files;
  const text = (path: string) => String(Buffer.from(files.find((each) => each.path === path)!.content!));
  const all = files.map(({ path }) => text(path)).join('');
  expect(`${bytes}${all}`.includes(cwd), 'names a folder of the machine').toBe(false);
  const logged = (await runWoof(['events', 'last', '--json'], { cwd })).stdout;
  expect(linesOf(text('events/0001.jsonl'))).toBe(linesOf(logged));
});

const linesOf = (text: string): number => text.trim().split('\n').length;

it('says how to go on where there is nothing to build', async () => {
  const cwd = temporaryFolder();
  expect((await runWoof(['build', 'last'], { cwd })).stderr).toContain('-o OUT.html');
  const none = await runWoof(['build', 'last', '-o', 'r.html'], { cwd });
  expect([none.status, none.stderr]).toEqual([1, expect.stringContaining('no runs here')]);
});

describeUnless(noBrowser)('in a browser', () => {
  const browser = useBrowser();

  it('shows how the run ended, then any moment before, and asks for nothing', async () => {
    const { ran, url } = await report();
    const visit = await browser.visit(url);
    const { page } = visit;
    const step = (name: string) => page.locator(`tr[data-step="${name}"] .status`);
    const main = page.locator('main');
    await expect.poll(() => main.getAttribute('data-status'), NO_LIMIT).toBe('succeeded');
    const total = Number(await main.getAttribute('data-seq'));
    for (const [name, { status }] of Object.entries(ran.steps))
      expect(await step(name).textContent()).toContain(status);
    expect(await page.locator('.node').count()).toBe(3);

    const slider = page.getByRole('slider');
    await slider.focus();
    await slider.press('Home');
    expect(await main.getAttribute('data-seq')).toBe('0');
    for (const name of Object.keys(ran.steps)) expect(await step(name).textContent()).toContain('pending');

    const seen = new Set<string>();
    for (let seq = 1; seq <= total; seq++) {
      await slider.press('ArrowRight');
      seen.add(`${await step('start').textContent()} ${await step('say').textContent()}`);
    }
    expect([...seen]).toEqual([
      '○ pending ○ pending',
      '◐ running ○ pending',
      '● succeeded ○ pending',
      '● succeeded ◐ running',
      '● succeeded ● succeeded',
    ]);
    expect(await main.getAttribute('data-seq')).toBe(String(total));

    await page.locator('.node', { hasText: 'say' }).press('Enter');
    expect(await page.locator('.details pre').textContent()).toBe(HOSTILE);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await expect.poll(() => main.getAttribute('data-seq'), NO_LIMIT).toBe(String(total));
    expect(await page.title()).toContain(HOSTILE);
    expect(await page.locator('img').count()).toBe(0);
    expect([requestsElsewhere(visit), visit.errors]).toEqual([[], []]);
  });

  it('tells why a run failed, and at which step', async () => {
    const { url } = await report(['--set', 'fail=true']);
    const { page } = await browser.visit(url);
    await expect.poll(() => page.locator('main').getAttribute('data-status'), NO_LIMIT).toBe('failed');
    expect(await page.locator('header [role=alert]').textContent()).toContain('zero');
    expect(await page.locator('.details h3').textContent()).toBe('break');
    await page.locator('.event', { hasText: 'step.failed' }).click();
    expect(await page.locator('.moment').textContent()).toContain('step.failed');
  });

  it('keeps the place of whoever goes through its events by keyboard', async () => {
    const { url } = await report(['--set', 'fail=true']);
    const { page } = await browser.visit(url);
    const main = page.locator('main');
    await expect.poll(() => main.getAttribute('data-status'), NO_LIMIT).toBe('failed');
    const focused = async () =>
      Number(await page.evaluate('document.activeElement.querySelector(".seq")?.textContent'));
    const tab = async () => {
      await page.keyboard.press('Tab');
      // What had to be scrolled into sight is drawn by then.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
      return focused();
    };
    await page.getByRole('region', { name: 'Events' }).focus();
    const first = await tab();
    expect(first).toBeGreaterThan(0);
    expect([await tab(), await tab()]).toEqual([first + 1, first + 2]);
    await page.keyboard.press('Enter');
    expect([Number(await main.getAttribute('data-seq')), await focused()]).toEqual([first + 2, first + 2]);
  });

  it('cuts nothing off on a phone', async () => {
    const { url } = await report(['--set', 'fail=true']);
    const profile = await browser.newProfile({ viewport: { width: 320, height: 640 } });
    const { page } = await browser.visit(url, profile);
    const main = page.locator('main');
    await expect.poll(() => main.getAttribute('data-status'), NO_LIMIT).toBe('failed');
    const tooWide = `[...document.querySelectorAll('header *, .bar *')].filter(
      (each) => each.getBoundingClientRect().right > innerWidth || each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0,
    ).map((each) => each.className || each.tagName)`;
    expect(await page.evaluate(tooWide)).toEqual([]);
  });

  /** `WOOF_WRITE_IMAGES=1 vitest run e2e/workbook/run-report.test.ts` writes the picture of the documentation. */
  it('shows a picture worth looking at', async () => {
    const { url } = await report(['--set', 'items=[1, 2, 3, 4]'], 'nightly totals');
    const { page } = await browser.visit(url);
    await page.setViewportSize({ width: 1200, height: 860 });
    await expect.poll(() => page.locator('main').getAttribute('data-status'), NO_LIMIT).toBe('succeeded');
    await page.locator('.event', { hasText: 'loop.iteration.done' }).last().click();
    const picture = await page.screenshot();
    expect(picture.length).toBeGreaterThan(10_000);
    if (process.env.WOOF_WRITE_IMAGES)
      writeFileSync(new URL('../../docs/images/run-report.png', import.meta.url), picture);
    // On paper: dark on light, whatever the system prefers, and nothing that only scrolls.
    const ink = () => page.evaluate(() => getComputedStyle(document.body).color);
    const byDay = await ink();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ink()).not.toBe(byDay);
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await ink()).toBe(byDay);
    expect(await page.getByRole('heading', { name: 'Events' }).count()).toBe(0);
  });

  it('is readable without a script', async () => {
    const { url } = await report();
    const { page } = await browser.visit(url, await browser.newProfile({ javaScriptEnabled: false }));
    expect(await page.locator('tr[data-step="say"] .status').textContent()).toContain('succeeded');
  });
});
