/** `woof build RUN`: a page that replays the run from its own log, offline, and shows the state at each moment. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readWorkbook, unpackBundle } from '@woof/documents/workbook';
import { describeUnless } from '@woof/testkit';
import { expect, it } from 'vitest';
import { lastJson, runWoof, temporaryFolder } from '../cli/woof.ts';
import { noBrowser, requestsElsewhere, useBrowser, writePage } from './browser.ts';

/** A busy machine may be slow. */
const NO_LIMIT = { timeout: 500_000 };
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

const require = createRequire(import.meta.url);
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const AXE_FINDINGS = `axe.run().then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, any }) => html.slice(0, 120) + ' ' + (any[0]?.message ?? '')).join(' | ')))`;

async function report(flags: string[] = [], name = `report ${HOSTILE}`) {
  const cwd = temporaryFolder({ 'p.yaml': playbook(name) });
  const ran = await runWoof(['run', 'p.yaml', '--json', ...flags], { cwd });
  const built = await runWoof(['build', 'last', '-o', 'r.html', '--json'], { cwd });
  expect(built.status, built.stderr).toBe(0);
  const file = join(cwd, 'r.html');
  return { cwd, ran: lastJson(ran), built: lastJson(built), file, url: pathToFileURL(file).href };
}

/** Of a run that failed. It outlives the folder of the test that made it. */
let failed: Promise<{ url: string }> | undefined;
function failedReport() {
  failed ??= report(['--set', 'fail=true']).then(({ file }) => ({ url: writePage(readFileSync(file)) }));
  return failed;
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

it('adds at most 33 KB of script, and 36 KB in all, compressed, to the data of a run', async () => {
  const { file } = await report();
  const page = readFileSync(file, 'utf8').replace(/(?<=<script id="wb-source-bundle"[^>]*>)[^<]+/, '');
  const script = readFileSync(new URL('../../dist/workbook/report.js', import.meta.url), 'utf8');
  expect(packedSize(script)).toBeLessThan(33 * 1024);
  expect(packedSize(page)).toBeLessThan(36 * 1024);
  // The control: the page contains the script.
  expect(packedSize(page)).toBeGreaterThan(packedSize(script));
});

const packedSize = (text: string): number => gzipSync(text, { level: 9 }).length;

const linesOf = (text: string): number => text.trim().split('\n').length;

it('says what to do if there is nothing to build', async () => {
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
    const steps = page.getByRole('listbox', { name: 'Steps' });
    expect(await steps.getByRole('option').count()).toBe(3);

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

    await steps.getByRole('option', { name: 'say' }).click();
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await expect.poll(() => result.textContent(), NO_LIMIT).toBe(HOSTILE);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await expect.poll(() => main.getAttribute('data-seq'), NO_LIMIT).toBe(String(total));
    expect(await page.title()).toContain(HOSTILE);
    expect(await page.locator('img').count()).toBe(0);
    expect([requestsElsewhere(visit), visit.errors]).toEqual([[], []]);
  });

  it('says why a run failed, and at which step', async () => {
    const { url } = await failedReport();
    const { page } = await browser.visit(url);
    await expect.poll(() => page.locator('main').getAttribute('data-status'), NO_LIMIT).toBe('failed');
    expect(await page.locator('header [role=alert]').textContent()).toContain('zero');
    expect(await page.locator('.rv-pane h2').textContent()).toBe('break');
    expect(await page.getByRole('region', { name: 'Error' }).textContent()).toContain('zero');
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByRole('option', { name: 'step.failed' }).click();
    expect(await page.locator('.rv-moment').textContent()).toContain('step.failed');
  });

  it('is accessible in every view and both themes', async () => {
    const { url } = await failedReport();
    const { page } = await browser.visit(url);
    await expect.poll(() => page.locator('main').getAttribute('data-status'), NO_LIMIT).toBe('failed');
    await page.evaluate(AXE);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const name of ['Graph', 'Timeline', 'Events', 'Logs']) {
        await page.getByRole('tab', { name }).click();
        expect(await page.evaluate(AXE_FINDINGS), `${name}, ${colorScheme}`).toEqual([]);
      }
    }
    // The control: the check finds a flaw.
    await page.evaluate('document.querySelector(".rv-slider input").removeAttribute("aria-label")');
    expect(await page.evaluate(AXE_FINDINGS)).not.toEqual([]);
  });

  it('works by keyboard alone: steps, views and events, and copies even events that are not visible', async () => {
    const { url } = await failedReport();
    const { page } = await browser.visit(url);
    const main = page.locator('main');
    await expect.poll(() => main.getAttribute('data-status'), NO_LIMIT).toBe('failed');
    const total = Number(await main.getAttribute('data-seq'));
    const chosen = page.locator('.rv-pane h2');
    const line =
      playbook('')
        .split('\n')
        .findIndex((text) => text.includes('1 // 0')) + 1;
    const meant = page.getByRole('region', { name: `Line ${line} of the document` }).locator('.rv-marked');
    expect(await meant.innerText()).toContain('{{ 1 // 0 }}');

    const graph = page.getByRole('application');
    await graph.focus();
    await graph.press('ArrowUp');
    expect(await graph.locator('[aria-live]').textContent()).toBe('say: succeeded');
    expect(await chosen.textContent()).toBe('break');
    await graph.press('Enter');
    expect(await chosen.textContent()).toBe('say');

    await page.getByRole('tab', { name: 'Graph' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    const events = page.getByRole('listbox', { name: 'Events' });
    await events.focus();
    await events.press('ArrowUp');
    expect(await main.getAttribute('data-seq')).toBe(String(total - 1));
    await events.press('PageUp');
    expect(Number(await main.getAttribute('data-seq'))).toBeLessThan(total - 10);
    await events.press('Home');
    expect(await main.getAttribute('data-seq')).toBe('1');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Events');

    await events.press('Shift+End');
    expect(await events.getByRole('option').count()).toBeLessThan(total);
    const copied = async () => {
      await page.evaluate(
        'addEventListener("copy", (event) => { copied = event.clipboardData.getData("text/plain") }, { once: true })',
      );
      await page.keyboard.press('Control+c');
      return page.evaluate<string>('copied');
    };
    await expect.poll(async () => linesOf(await copied()), NO_LIMIT).toBe(total);
    expect(await copied()).toMatch(/^1\t.*playbook.execution.requested/);
  });

  it('cuts nothing off on a phone', async () => {
    const { url } = await failedReport();
    const profile = await browser.newProfile({ viewport: { width: 320, height: 640 } });
    const { page } = await browser.visit(url, profile);
    const main = page.locator('main');
    await expect.poll(() => main.getAttribute('data-status'), NO_LIMIT).toBe('failed');
    const tooWide = `[...document.querySelectorAll('header *, .rv-slider *, .rv-bar *')].filter(
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
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByRole('option', { name: 'loop.iteration.done' }).last().click();
    await page.getByRole('tab', { name: 'Graph' }).click();
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
    expect(await page.getByRole('slider').count()).toBe(0);
  });

  it('is readable without a script', async () => {
    const { url } = await report();
    const { page } = await browser.visit(url, await browser.newProfile({ javaScriptEnabled: false }));
    expect(await page.locator('tr[data-step="say"] .status').textContent()).toContain('succeeded');
  });
});
