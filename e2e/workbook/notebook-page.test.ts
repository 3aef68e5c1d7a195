/** `woof build NOTEBOOK`: one page with stored outputs, and cells that run in it, offline, from `file://`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readWorkbook, unpackBundle } from '@woof/documents/workbook';
import { describeUnless } from '@woof/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { runWoof, temporaryFolder } from '../cli/woof.ts';
import { noBrowser, requestsElsewhere, servePages, useBrowser, writePage } from './browser.ts';
import { buildPage, outputTexts, statuses, untilLive, untilSettled } from './built-notebook.ts';

const JAVASCRIPT = `%WOOFNB 1.0
name: js
language: javascript
parameters:
  n: 3
  who: Ada
execution:
  order: graph

\`\`\`cell id=base type=data
{"step": 2, "names": ["x", "y"]}
\`\`\`

\`\`\`cell id=list type=code deps=base
const list = Array.from({ length: parameters.n }, (_, at) => at * base.step);
list
\`\`\`

\`\`\`cell id=greet type=code
console.log('hello %s', parameters.who, { deep: { a: [1, 2, { b: 'c' }] } });
console.error('a message');
\`\`\`

\`\`\`cell id=sum type=code deps=list
let total = 0;
for (const each of list) total += each;
const late = await new Promise((done) => setTimeout(() => done('later'), 5));
({ total, late, names: woof["base"].names, map: new Map([['k', new Set([1])]]), when: new Date(0) })
\`\`\`

\`\`\`cell id=shown type=code deps=sum
class Box { constructor() { this.total = total; } toHTML() { return '<b>total ' + this.total + '</b>'; } }
display(new Box());
new Box()
\`\`\`

\`\`\`cell id=check type=test deps=sum
if (total !== list.reduce((a, b) => a + b, 0)) throw new Error('no');
\`\`\`
`;

/** Built without Python: its cells keep the outputs of a run. */
const STORED_PYTHON = `%WOOFNB 1.0
name: stored-python
language: python
parameters:
  n: 3
execution:
  order: graph

\`\`\`cell id=js type=code lang=javascript
parameters.n * 2
\`\`\`

\`\`\`cell id=py type=code
square = parameters["n"] ** 2
square
\`\`\`

\`\`\`cell id=builds type=code deps=py
square + 1
\`\`\`

\`\`\`cell id=apart type=code
7
\`\`\`
`;

const STORED_LINES = Object.entries({ js: '6', py: '9', builds: '10', apart: '7' })
  .map(([cell, text]) => ({
    cell,
    outputs: [{ output_type: 'execute_result', data: { 'text/plain': text } }],
  }))
  .map((line) => `${JSON.stringify({ ...line, timestamp: '2026-01-01T00:00:00Z' })}\n`)
  .join('');

const LINEAR = `%WOOFNB 1.0
name: linear
language: javascript

\`\`\`cell id=one type=code
var words = 'the quick brown fox jumps over the lazy dog again'.split(' ')
words
\`\`\`

\`\`\`cell id=two type=code
words.push('and', 'again')
words.map((word) => word.length)
\`\`\`

\`\`\`cell id=three type=code
function longest(list) {
  return list.reduce((a, b) => (b.length > a.length ? b : a))
}
longest(words)
\`\`\`

\`\`\`cell id=four type=code
const table = words.map((word, at) => ({ at, word, upper: word.toUpperCase() }))
table
\`\`\`
`;

const PYTHON = `%WOOFNB 1.0
name: python
language: python
parameters:
  n: 4
  big: 1180591620717411303424
  rate: 0.5
  whole: 1.0
execution:
  order: graph

\`\`\`cell id=rows type=data
- {city: Oslo, rain: 3}
- {city: Bergen, rain: 12}
\`\`\`

\`\`\`cell id=sums type=code deps=rows
import statistics, dataclasses, sys

@dataclasses.dataclass
class Station:
    city: str
    rain: float

stations = [Station(**row) for row in rows]
mean = statistics.mean(s.rain for s in stations)
print("mean", mean, file=sys.stderr)
squares = [n * n for n in range(parameters["n"])]
stations
\`\`\`

\`\`\`cell id=table type=code deps=sums
class Table:
    def _repr_html_(self):
        return "<table><tr><td>%s</td></tr></table>" % len(stations)
print("squares", *squares)
display(Table())
{"cities": [s.city for s in stations], "long": list(range(40)), "mean": mean, "woof": woof["rows"][0]}
\`\`\`

\`\`\`cell id=later type=code deps=sums
import asyncio
await asyncio.sleep(0)
sum(squares)
\`\`\`

\`\`\`cell id=quiet type=code deps=sums
mean;
\`\`\`

\`\`\`cell id=script type=code deps=sums lang=javascript
const doubled = sums.squares.map((n) => n * 2);
doubled
\`\`\`

\`\`\`cell id=back type=test deps=script,sums
assert script["doubled"][2] == 8, script
\`\`\`

\`\`\`cell id=numbers type=data
{"big": 1180591620717411303424, "list": [1, 1.0, -0.0, 1e300, 0.1, 9007199254740993]}
\`\`\`

\`\`\`cell id=exact type=code deps=numbers
class Told:
    def __repr__(self):
        return ""
    def _repr_mimebundle_(self):
        return {"application/json": [parameters["big"], parameters["whole"], 2 ** 70 + 1]}
display(Told())
kept = [parameters["big"] + 1, parameters["rate"], parameters["whole"], numbers["big"] - 1, *numbers["list"]]
kept
\`\`\`

\`\`\`cell id=exact_js type=code deps=numbers lang=javascript
const next = numbers.big + 1n;
next
\`\`\`

\`\`\`cell id=exact_back type=code deps=exact_js,exact
(exact_js["next"], kept[0])
\`\`\`
`;

const FAILING = `%WOOFNB 1.0
name: failing
language: javascript
execution:
  order: graph

\`\`\`cell id=good type=code
1 + 1
\`\`\`

\`\`\`cell id=bad type=code
const fine = 1;
null.missing;
\`\`\`

\`\`\`cell id=after type=code deps=bad
fine
\`\`\`
`;

const NOT_HERE = `%WOOFNB 1.0
name: stored
language: python
io_policy: {allow_network: true, allow_shell: true, allow_files: true}
execution:
  order: graph

\`\`\`cell id=shell type=bash
echo hi
\`\`\`

\`\`\`cell id=web type=code sidefx=net
import urllib.request
\`\`\`

\`\`\`cell id=alone type=code sidefx=isolated
1
\`\`\`

\`\`\`cell id=big type=code
import numpy
\`\`\`

\`\`\`cell id=builds type=code deps=big
2
\`\`\`

\`\`\`cell id=node type=code lang=javascript
const fs = require('fs');
\`\`\`

\`\`\`cell id=works type=code
"yes"
\`\`\`
`;

/** For the page of PYTHON, after it ran: big integers and 1.0 keep their values, and so do values that replace them. */
async function keepsNumbers(page: Page): Promise<void> {
  const texts = async () => {
    const { exact, exact_js: js, exact_back: back } = await outputTexts(page);
    return { exact: exact?.replaceAll(/\s+/g, ''), js, back };
  };
  const list = '1,1.0,-0.0,1e+300,0.1,9007199254740993]';
  expect(await texts()).toEqual({
    exact: `[1180591620717411303424,1.0,1180591620717411303425][1180591620717411303425,0.5,1.0,1180591620717411303423,${list}`,
    js: '1180591620717411303425n',
    back: '(1180591620717411303425, 1180591620717411303425)',
  });
  const fields = { big: '1180591620717411303500', rate: '2', whole: '3' };
  for (const [name, value] of Object.entries(fields))
    await page.getByLabel(name, { exact: true }).fill(value);
  await page.keyboard.press('Tab');
  await untilSettled(page);
  expect(await texts()).toMatchObject({
    exact: `[1180591620717411303500,3.0,1180591620717411303425][1180591620717411303501,2.0,3.0,1180591620717411303423,${list}`,
    back: '(1180591620717411303425, 1180591620717411303501)',
  });
}

const COFFEE = readFileSync(new URL('../../examples/coffee.woofnb', import.meta.url), 'utf8');

const LIVE_JS = { flags: ['--live', 'js'] };
const LIVE_PYTHON = { flags: ['--live', 'python'] };

it('gives the same bytes each time, and its sources can be extracted', async () => {
  const { cwd, html, built } = await buildPage(JAVASCRIPT, LIVE_JS);
  expect(built).toMatchObject({ kind: 'notebook', live: ['js'], left: [], bytes: Buffer.byteLength(html) });
  await runWoof(['build', 'n.woofnb', '-o', 'again.html'], { cwd });
  expect(readFileSync(join(cwd, 'again.html'), 'utf8')).toBe(html);
  expect(html.includes(cwd), 'names a folder of the machine').toBe(false);
  const { bundle, kind, permissions } = readWorkbook(html);
  const files = unpackBundle(bundle!, (bytes) => gunzipSync(bytes)).bundle!.files;
  expect({ kind, permissions }).toEqual({ kind: 'notebook', permissions: [] });
  expect(files.map(({ path }) => path)).toEqual(['n.woofnb', 'n.woofnb.out']);
  for (const { path, content } of files)
    expect(Buffer.from(content!).equals(readFileSync(join(cwd, path)))).toBe(true);
});

it('stays small: the page, charts, Python', async () => {
  const content = (html: string) => html.replace(/<script[^>]*id="wb-source[\s\S]*?<\/script>/, '').length;
  const none = await buildPage(LINEAR, { flags: ['--live', 'none'], sidecar: '' });
  expect(content(none.html)).toBeLessThan(150_000);
  const python = await buildPage(PYTHON, { ...LIVE_PYTHON, sidecar: '' });
  expect(python.html.length).toBeLessThan(8_500_000);
  expect(none.html).not.toMatch(/unsafe-(eval|inline)/);
  expect(python.html).not.toMatch(/'unsafe-(eval|inline)/);
});

it('says what it cannot do', async () => {
  const { cwd } = await buildPage(LINEAR, { sidecar: '' });
  const wrong = await runWoof(['build', 'n.woofnb', '-o', 'x.html', '--live', 'ruby'], { cwd });
  expect(wrong.status).toBe(2);
  expect(wrong.stderr).toContain('none, js, python');
});

describeUnless(noBrowser)('a page of a notebook', () => {
  const browser = useBrowser();

  it('shows its outputs without any script', async () => {
    const { url } = await buildPage(JAVASCRIPT, LIVE_JS);
    const profile = await browser.newProfile({ javaScriptEnabled: false });
    const { page } = await browser.visit(url, profile);
    const seen = await page.locator('main').textContent();
    for (const text of ['[ 0, 2, 4 ]', 'hello Ada', 'a message', 'total: 6', 'total 6'])
      expect(seen).toContain(text);
    expect(await page.locator('.html b').first().textContent()).toBe('total 6');
  });

  it.each([
    ['JavaScript with a graph', JAVASCRIPT, LIVE_JS, undefined],
    ['JavaScript in order', LINEAR, LIVE_JS, undefined],
    ['Python, data, and values between languages', PYTHON, LIVE_PYTHON, keepsNumbers],
  ])('computes what woof run computed: %s', async (_, notebook, options, more) => {
    const { url } = await buildPage(notebook, options);
    const visit = await browser.visit(url);
    const { page, errors } = visit;
    const stored = await outputTexts(page);
    expect(Object.values(stored).filter((text) => text !== '').length).toBeGreaterThan(2);
    await untilLive(page);
    // What it shows afterwards was computed in the page.
    await page.evaluate(() => {
      for (const each of document.querySelectorAll('.outputs')) each.textContent = '?';
    });
    await page.click('#run-all');
    await untilSettled(page);
    expect(new Set(Object.values(await statuses(page)))).toEqual(new Set(['succeeded']));
    expect(await outputTexts(page)).toEqual(stored);
    // A second run gives the same: nothing is left of the first.
    await page.click('#run-all');
    await untilSettled(page);
    expect(await outputTexts(page)).toEqual(stored);
    await more?.(page);
    expect(errors).toEqual([]);
    expect(requestsElsewhere(visit)).toEqual([]);
  });

  it('runs cells that use a parameter, and cells that depend on those, and nothing else', async () => {
    const { url } = await buildPage(JAVASCRIPT, LIVE_JS);
    const { page } = await browser.visit(url);
    await untilLive(page);
    await page.getByLabel('n', { exact: true }).fill('5');
    await page.keyboard.press('Tab');
    await untilSettled(page);
    expect(await statuses(page)).toEqual({
      list: 'succeeded',
      sum: 'succeeded',
      shown: 'succeeded',
      check: 'succeeded',
    });
    expect(await outputTexts(page)).toMatchObject({
      list: '[ 0, 2, 4, 6, 8 ]',
      shown: expect.stringContaining('total 20'),
    });
    await page.getByLabel('who').fill('<Eve>');
    await page.keyboard.press('Tab');
    await untilSettled(page);
    expect((await outputTexts(page)).greet).toContain('hello <Eve>');
    await page.getByRole('button', { name: 'Reset' }).click();
    await untilSettled(page);
    expect(await outputTexts(page)).toMatchObject({
      list: '[ 0, 2, 4 ]',
      greet: expect.stringContaining('hello Ada'),
    });
  });

  it('says which stored outputs do not follow a changed parameter', async () => {
    const { url } = await buildPage(STORED_PYTHON, { sidecar: STORED_LINES });
    const { page } = await browser.visit(url);
    await untilLive(page);
    const status = page.locator('#live-status');
    const notes = page.locator('.note.stale');
    const setN = async (value: string) => {
      await page.getByLabel('n', { exact: true }).fill(value);
      await page.keyboard.press('Tab');
      await untilSettled(page);
    };
    await setN('5');
    expect(await outputTexts(page)).toEqual({ js: '10', py: '9', builds: '10', apart: '7' });
    expect(await status.textContent()).toBe('2 stored outputs not updated');
    expect(await notes.allTextContents()).toEqual(
      Array.from({ length: 2 }, () => expect.stringMatching(/^Not updated: .*stored.*n from 3 to 5/)),
    );
    expect(await page.locator('#cell-apart[data-stale]').count()).toBe(0);
    await page.click('#run-all');
    await untilSettled(page);
    expect(await status.textContent()).toBe('2 stored outputs not updated');
    await setN('3');
    expect(await status.textContent()).toBe('Up to date');
    expect(await notes.count()).toBe(0);
  });

  it('runs an edited cell and the cells that depend on it', async () => {
    const { url } = await buildPage(JAVASCRIPT, LIVE_JS);
    const { page } = await browser.visit(url);
    await untilLive(page);
    await page.getByRole('button', { name: 'Show code' }).click();
    const editor = page.getByLabel('Code of list');
    await editor.fill('const list = [20, 22];\nlist');
    await editor.press('Shift+Enter');
    await untilSettled(page);
    expect(await outputTexts(page)).toMatchObject({
      list: '[ 20, 22 ]',
      sum: expect.stringContaining('total: 42'),
    });
    expect((await statuses(page)).greet).toBeUndefined();
    const data = page.getByLabel('Code of base');
    await data.fill('{"step": 100, "names": []}');
    await untilSettled(page);
    expect((await outputTexts(page)).sum).toContain('names: []');
  });

  it('shows an error with the lines of the cell, skips dependent cells, and continues with the rest', async () => {
    const { url } = await buildPage(FAILING, LIVE_JS);
    const { page } = await browser.visit(url);
    await untilLive(page);
    await page.click('#run-all');
    await untilSettled(page);
    expect(await statuses(page)).toEqual({ good: 'succeeded', bad: 'failed', after: 'skipped' });
    expect((await outputTexts(page)).bad).toMatch(/TypeError: Cannot read properties of null[\s\S]*<bad>:2:/);
    await page.getByRole('button', { name: 'Show code' }).click();
    await page.getByLabel('Code of bad').fill('const fine = 1;\nlet = = 2;');
    await page.getByRole('button', { name: 'Run bad' }).click();
    await untilSettled(page);
    expect((await outputTexts(page)).bad).toMatch(/SyntaxError[\s\S]*<bad>:2:\d+/);
  });

  it('stops a cell that does not end', async () => {
    const { url } = await buildPage(FAILING, LIVE_JS);
    const { page } = await browser.visit(url);
    await untilLive(page);
    await page.getByRole('button', { name: 'Show code' }).click();
    await page.getByLabel('Code of good').fill('console.log("begun"); for (;;) {}');
    await page.getByRole('button', { name: 'Run good' }).click();
    await page.locator('#out-good', { hasText: 'begun' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await untilSettled(page);
    expect((await statuses(page)).good).toBe('stopped');
    await page.getByLabel('Code of good').fill('40 + 2');
    await page.getByRole('button', { name: 'Run good' }).click();
    await untilSettled(page);
    expect((await outputTexts(page)).good).toBe('42');
  });

  it('stops at once while a language is still starting, and runs everything when asked again', async () => {
    const { url } = await buildPage(PYTHON, LIVE_PYTHON);
    const { page, errors } = await browser.visit(url);
    const status = page.locator('#live-status');
    await page.locator('#run-all:visible').waitFor();
    // In one turn of the page, so that nothing can have started in between.
    await page.evaluate(`for (const id of ['run-all', 'stop']) document.getElementById(id).click()`);
    await untilSettled(page);
    expect(new Set(Object.values(await statuses(page)))).toEqual(new Set(['stopped']));
    expect(await status.textContent()).toBe('Stopped');
    await page.click('#run-all');
    await untilSettled(page);
    expect(new Set(Object.values(await statuses(page)))).toEqual(new Set(['succeeded']));
    expect(await status.textContent()).toBe('Up to date');
    expect(errors).toEqual([]);
  });

  it('says why cells do not run in the page', async () => {
    const { url } = await buildPage(NOT_HERE, { ...LIVE_PYTHON, sidecar: '' });
    const { page } = await browser.visit(url);
    const why = (id: string) =>
      page.locator(`#cell-${id} .note`, { hasText: 'Does not run in this page' }).textContent();
    expect(await why('shell')).toContain('Bash does not run in a browser');
    expect(await why('web')).toContain('network');
    expect(await why('alone')).toContain('isolated');
    expect(await why('big')).toContain('numpy');
    expect(await why('builds')).toContain('it depends on big');
    expect(await why('node')).toContain('require');
    await untilLive(page);
    expect(await page.getByRole('button', { name: /^Run (?!all)/ }).count()).toBe(1);
    await page.getByRole('button', { name: 'Run works' }).click();
    await untilSettled(page);
    expect((await outputTexts(page)).works).toBe("'yes'");
  });

  it('stored outputs cannot run anything', async () => {
    const attack = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script></script><a href="javascript:document.title='owned'">a</a><svg onload="document.title='owned'"><script>document.title='owned'</script></svg><iframe srcdoc="<script>top.document.title='owned'</script>"></iframe><form action="javascript:document.title='owned'"><button>b</button></form><base href="https://x.test/">`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" onload="document.title='owned'"><script>top.document.title='owned'</script></svg>`;
    const outputs = [
      { output_type: 'display_data', data: { 'text/html': attack }, metadata: {} },
      { output_type: 'display_data', data: { 'image/svg+xml': svg }, metadata: {} },
      { output_type: 'display_data', data: { 'text/markdown': attack }, metadata: {} },
      { output_type: 'stream', name: 'stdout', text: attack },
      { output_type: 'error', ename: attack, evalue: attack, traceback: [attack] },
      {
        output_type: 'display_data',
        data: { 'image/png': { file: '../../../etc/passwd' }, [attack]: attack },
        metadata: {},
      },
      {
        output_type: 'display_data',
        data: {
          'application/vnd.vegalite.v5+json': { mark: attack },
          'image/png': `"><script>document.title='owned'</script>`,
        },
      },
    ];
    const sidecar = `${JSON.stringify({ cell: 'one', timestamp: attack, outputs })}\n`;
    const hostile = LINEAR.replace(
      'name: linear',
      `name: ${JSON.stringify(attack)}\nparameters: {${JSON.stringify(attack)}: ${JSON.stringify(attack)}}`,
    )
      .replace("'the quick", `'</script><!--<script>${attack.replaceAll("'", '"')} the quick`)
      .replace(
        '```cell id=two',
        `\`\`\`cell id=words type=md\n# ${attack}\n[x](javascript:alert(1))\n\`\`\`\n\n\`\`\`cell id=two`,
      );
    const { url, html } = await buildPage(hostile, { sidecar, flags: ['--live', 'js', '--code', 'shown'] });
    const visit = await browser.visit(url);
    const { page } = visit;
    const title = await page.title();
    await untilLive(page);
    for (const link of await page.locator('main a:not([href^=http])').all())
      await link.click({ force: true, timeout: 1000 }).catch(() => {});
    expect(await page.title()).toBe(title);
    expect(title).not.toBe('owned');
    expect(
      await page
        .locator(
          'main script, main iframe, main .outputs form, main .prose form, main base, main [onerror], main [onload], main svg',
        )
        .count(),
    ).toBe(0);
    expect(requestsElsewhere(visit)).toEqual([]);
    expect(html).not.toContain('root:x:');
    // The same text in a page without defence does act.
    const control = await browser.visit(writePage(`<!doctype html><title>t</title>${attack}`));
    await control.page.waitForFunction(() => document.title === 'owned');
  });

  it('what a cell in the page displays cannot run anything', async () => {
    const { url } = await buildPage(FAILING, LIVE_JS);
    const visit = await browser.visit(url);
    const { page } = visit;
    await untilLive(page);
    await page.getByRole('button', { name: 'Show code' }).click();
    const hostile = `
      display({ 'text/html': '<img src=x onerror="document.title=1"><a href="javascript:document.title=2">a</a><style>body{display:none}</style><b>fine</b>' });
      const reached = [];
      for (const [name, attempt] of Object.entries({
        fetch: () => fetch('https://x.test/'),
        script: () => importScripts('https://x.test/a.js'),
        store: () => indexedDB.open('x'),
        other: () => new Worker('blob:x'),
        code: () => eval('1'),
        maker: () => new Function('return 1')(),
        socket: () => new Promise((ok, no) => { const s = new WebSocket('wss://x.test/'); s.onopen = ok; s.onerror = no; }),
      })) try { await attempt(); reached.push(name); } catch {}
      console.log('reached', reached, typeof document, typeof RTCPeerConnection);`;
    await page.getByLabel('Code of good').fill(hostile);
    await page.getByRole('button', { name: 'Run good' }).click();
    await untilSettled(page);
    const seen = (await outputTexts(page)).good;
    expect(seen).toContain('fine');
    expect(seen).toContain('reached [] undefined undefined');
    expect(await page.title()).toBe('failing');
    expect(requestsElsewhere(visit).filter((address) => !address.includes('x.test'))).toEqual([]);
  });

  it('works offline, and inside of a sandboxed frame under the policy of a host', async () => {
    const { html } = await buildPage(JAVASCRIPT, LIVE_JS);
    const policy =
      "default-src 'none'; script-src 'unsafe-inline' blob: 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:; connect-src 'none'";
    const server = await servePages({
      '/': `<!doctype html><title>host</title><iframe sandbox="allow-scripts" src="/page" width="900" height="700"></iframe>`,
      '/page': { body: html, headers: { 'content-security-policy': policy } },
    });
    try {
      const profile = await browser.newProfile();
      const { page } = await browser.visit(server.origin, profile);
      await profile.setOffline(true);
      const frame = page.frames().find((each) => each.url().endsWith('/page'))!;
      await frame.waitForFunction(() => document.documentElement.dataset.live === 'live');
      await frame.getByLabel('n', { exact: true }).fill('2');
      await frame.getByLabel('who').focus();
      await frame.locator('#out-list', { hasText: '[ 0, 2 ]' }).waitFor();
    } finally {
      await server.close();
    }
  });

  it('shifts no content when it goes live', async () => {
    const { url } = await buildPage(COFFEE, LIVE_JS);
    const profile = await browser.newProfile();
    await profile.addInitScript(() => {
      const found: number[] = [];
      Object.assign(globalThis, { found });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) found.push((entry as unknown as { value: number }).value);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    const { page, errors } = await browser.visit(url, profile);
    await untilLive(page);
    await page.locator('.chart svg').waitFor();
    const shifts = await page.evaluate(() => (globalThis as unknown as { found: number[] }).found);
    expect(shifts.reduce((sum, each) => sum + each, 0)).toBeLessThan(0.01);
    // The chart follows the parameters.
    const path = () =>
      page
        .locator('.chart svg path[aria-roledescription="line mark"], .chart svg .mark-line path')
        .first()
        .getAttribute('d');
    const before = await path();
    await page.getByLabel('Temperature of the room').fill('30');
    await untilSettled(page);
    expect(await path()).not.toBe(before);
    expect(errors).toEqual([]);
  });

  it('draws its charts without live cells, too', async () => {
    const { url } = await buildPage(COFFEE, { flags: ['--live', 'none'] });
    const { page, errors } = await browser.visit(url);
    await page.locator('.chart svg').waitFor();
    expect(await page.locator('button', { hasText: /^Run/ }).filter({ visible: true }).count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('can be used by keyboard, and labels its parts', async () => {
    const { url } = await buildPage(COFFEE, LIVE_JS);
    const { page } = await browser.visit(url);
    await untilLive(page);
    const parts = await page.locator('body').ariaSnapshot();
    for (const part of [
      ...[
        '- banner',
        '- main',
        '- contentinfo',
        '- navigation "Contents"',
        '- heading "The curve" [level=2]',
      ],
      ...['- slider "Temperature of the coffee (°C)"', '- combobox "Cup"', '- checkbox "With a lid"'],
      ...['- button "Run curve"', '- button "Run all"', '- button "Show code"', '- group "Cell curve"'],
    ])
      expect(parts).toContain(part);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'main');
    await page.getByLabel('With a lid').focus();
    await page.keyboard.press('Space');
    await page.locator('#out-curve', { hasText: 'with a lid' }).waitFor();
    await page.getByRole('button', { name: /Switch to dark/ }).press('Enter');
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(23, 22, 20)',
    );
  });
});

const IMAGES = new URL('../../docs/images/', import.meta.url);

/** `WOOF_WRITE_IMAGES=1 vitest run e2e/workbook/notebook-page.test.ts` writes the images of the documentation. */
describeUnless(noBrowser)('the pictures of the documentation', () => {
  const browser = useBrowser();
  const wide = { viewport: { width: 1200, height: 820 } };

  it.each([
    ['notebook-light', { ...wide, colorScheme: 'light' }],
    ['notebook-dark', { ...wide, colorScheme: 'dark' }],
    ['notebook-phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
    ['notebook-print', { viewport: { width: 800, height: 1050 }, colorScheme: 'dark' }],
  ] as const)('%s', async (name, options) => {
    const { url } = await buildPage(COFFEE, LIVE_JS);
    const { page } = await browser.visit(url, await browser.newProfile(options));
    await untilLive(page);
    await page.locator('.chart svg').waitFor();
    if (name === 'notebook-print') await page.emulateMedia({ media: 'print' });
    else {
      await page.getByLabel('With a lid').check();
      await page.locator('#out-curve', { hasText: 'with a lid' }).waitFor();
      await untilSettled(page);
    }
    // Nothing is wider than the screen; print is light, whatever the system prefers.
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(ground).toBe(
      { 'notebook-dark': 'rgb(23, 22, 20)', 'notebook-print': 'rgb(255, 255, 255)' }[name as string] ??
        'rgb(253, 252, 250)',
    );
    const ink = page.locator('.chart .role-axis-label text').first();
    expect(await ink.evaluate((text) => getComputedStyle(text).fill)).toBe(
      name === 'notebook-dark' ? 'rgb(207, 201, 191)' : 'rgb(74, 69, 63)',
    );
    const picture = await page.screenshot();
    if (process.env.WOOF_WRITE_IMAGES) {
      mkdirSync(IMAGES, { recursive: true });
      writeFileSync(new URL(`${name}.png`, IMAGES), picture);
    }
  });
});

it('can be built with the outputs of a run that happens first', async () => {
  const cwd = temporaryFolder({ 'n.woofnb': LINEAR });
  await runWoof(['build', 'n.woofnb', '-o', 'n.html', '--live', 'none'], { cwd });
  expect(readFileSync(join(cwd, 'n.html'), 'utf8')).toContain('Not run yet');
  await runWoof(['build', 'n.woofnb', '-o', 'n.html', '--live', 'none', '--run'], { cwd });
  const html = readFileSync(join(cwd, 'n.html'), 'utf8');
  expect(html).toContain('&#39;quick&#39;');
  expect(html).not.toContain('Not run yet');
});

it('runs nothing first if a flag has a wrong value', async () => {
  const cwd = temporaryFolder({ 'n.woofnb': LINEAR });
  const { status, stderr } = await runWoof(['build', 'n.woofnb', '-o', 'n.html', '--live', 'ruby', '--run'], {
    cwd,
  });
  expect([status, stderr.split('\n')[0]]).toEqual([2, 'error: --live ruby: unknown value']);
  expect(existsSync(join(cwd, 'n.woofnb.out'))).toBe(false);
});
