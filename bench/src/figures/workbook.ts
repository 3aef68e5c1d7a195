/** A built notebook, opened from `file://` in Chromium: its size, when it is painted, and when its cells can run. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { type Figure, median } from '../figure.ts';
import { BenchFolder, cellText, notebookText } from '../notebook-folder.ts';

const ROUNDS = 5;
const PROGRAM = '/usr/bin/chromium';

const SPEC = JSON.stringify({
  data: { name: 'rows' },
  mark: 'bar',
  encoding: { x: { field: 'x', type: 'quantitative' }, y: { field: 'y', type: 'quantitative' } },
});

const BARE = '<!doctype html><meta charset="utf-8"><title>bare</title><p>Some text.</p>';

/** Text, data, a chart, and cells of one language. */
function notebook(language: string, code: string): string {
  return notebookText('parameters: {n: 5}', [
    cellText('id=text type=md', '# A page\n\nSome text.'),
    cellText('id=rows type=data', JSON.stringify([{ x: 1, y: 2 }])),
    cellText(`id=code type=code lang=${language}`, code),
    cellText('id=chart type=viz', SPEC),
  ]);
}

export async function workbookFigures(): Promise<Figure[]> {
  // Loaded only here, because it is large and other figures measure memory.
  const { chromium } = await import('playwright-core');
  const browser = await chromium
    .launch({ executablePath: PROGRAM, args: ['--no-sandbox'] })
    .catch(() => undefined);
  if (browser === undefined) return [missing('a page from file://, painted'), missing('Python live')];
  const folder = new BenchFolder();
  folder.write('js.woofnb', notebook('javascript', '[...Array(parameters.n).keys()]'));
  folder.write('py.woofnb', notebook('python', 'list(range(parameters["n"]))'));
  folder.write('bare.html', BARE);
  const build = (file: string, live: string, out: string) => {
    folder.woof('run', file, '--quiet');
    folder.woof('build', file, '-o', out, '--live', live);
    return statSync(join(folder.path, out)).size;
  };
  const sizes = { js: build('js.woofnb', 'js', 'js.html'), py: build('py.woofnb', 'python', 'py.html') };
  const times = await openInTurn(browser, folder.path, ['bare.html', 'js.html', 'py.html']);
  await browser.close();
  const plain = readFileSync(join(folder.path, 'js.html'), 'utf8').replaceAll(
    /<script type="text\/plain"[\s\S]*?<\/script>/g,
    '',
  ).length;
  folder.remove();
  const note = `a bare page: ${Math.round(times['bare.html']!.painted)} ms`;
  return [
    { name: 'page of a notebook, without engines', value: plain / 1000, unit: 'KB', atMost: 150 },
    { name: 'page with charts and JavaScript', value: sizes.js / 1e6, unit: 'MB', atMost: 0.5 },
    { name: 'page with charts and Python', value: sizes.py / 1e6, unit: 'MB', atMost: 8.5 },
    {
      name: 'page from file://, outputs painted',
      value: times['js.html']!.painted,
      unit: 'ms',
      atMost: 200,
      note,
    },
    {
      name: 'page of 8 MB, outputs painted',
      value: times['py.html']!.painted,
      unit: 'ms',
      atMost: 200,
      note,
    },
    {
      name: 'page from file://, JavaScript live',
      value: times['js.html']!.live,
      unit: 'ms',
      atMost: 300,
      note,
    },
    { name: 'page from file://, Python live', value: times['py.html']!.live, unit: 'ms', atMost: 2500, note },
  ];
}

const missing = (name: string): Figure => ({
  name,
  value: Number.NaN,
  unit: 'ms',
  note: `no ${PROGRAM} here`,
});

interface Times {
  painted: number;
  live: number;
}

/** Medians. Every round opens each page once, so that other load on the machine affects all of them. */
async function openInTurn(browser: Browser, folder: string, files: string[]): Promise<Record<string, Times>> {
  const found = new Map<string, Times[]>(files.map((file) => [file, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const file of files)
      found.get(file)!.push(await open(browser, pathToFileURL(join(folder, file)).href));
  const middle = (times: Times[], key: keyof Times) => median(times.map((each) => each[key]));
  return Object.fromEntries(
    [...found].map(([file, times]) => [
      file,
      { painted: middle(times, 'painted'), live: middle(times, 'live') },
    ]),
  );
}

/** In milliseconds since the page was requested, by the page's clock. The bare page is never live. */
async function open(browser: Browser, url: string): Promise<Times> {
  const profile = await browser.newContext();
  const page = await profile.newPage();
  await page.addInitScript(WATCH);
  await page.goto(url);
  const times = await page.evaluate<Times>('globalThis.woofTimes');
  await profile.close();
  return times;
}

/** Runs in the page. As text, because this package has no types for pages. */
const WATCH = `
const painted = new Promise((done) => new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') done(startTime);
}).observe({ type: 'paint', buffered: true }));
const live = new Promise((done) => {
  const look = () => document.documentElement?.dataset.live === 'live' && done(performance.now());
  new MutationObserver(look).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-live'] });
  document.addEventListener('DOMContentLoaded', () => document.getElementById('live-status') === null && done(NaN));
});
globalThis.woofTimes = Promise.all([painted, live]).then(([painted, live]) => ({ painted, live }));
`;
