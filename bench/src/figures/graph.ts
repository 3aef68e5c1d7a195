/** The views of a large run: its graph in Chromium, and its fold from a snapshot. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  decodeJson,
  type Event,
  emptyState,
  encodeJson,
  evolve,
  fromSnapshot,
  isEnded,
  type Plan,
  toSnapshot,
} from '@woof/net';
import { RunFold } from '@woof/run-view/fold';
import { arc, Driver, loop, plan, step } from '@woof/testkit';
import { buildRun } from '@woof/workbook-build';
import type { Page } from 'playwright-core';
import { type Figure, median, missing } from '../figure.ts';

const NODES = 10_000;
const EDGES = 30_000;
const EVENTS = 300_000;
const ROUNDS = 3;
const PROGRAM = '/usr/bin/chromium';

export async function graphFigures(): Promise<Figure[]> {
  return [...(await pictureFigures()), foldFigure()];
}

async function pictureFigures(): Promise<Figure[]> {
  const { chromium } = await import('playwright-core');
  const browser = await chromium
    .launch({ executablePath: PROGRAM, args: ['--no-sandbox'] })
    .catch(() => undefined);
  if (browser === undefined) return [missing('graph of 10,000 steps', `no ${PROGRAM} here`)];
  const folder = mkdtempSync(join(tmpdir(), 'woof-bench-graph-'));
  const file = join(folder, 'run.html');
  writeFileSync(file, pageOf(largePlan()));
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('canvas');
  const drawn: number[] = [];
  for (let round = 0; round < ROUNDS; round++) drawn.push(await page.evaluate<number>(OPEN_GRAPH));
  const whole = await pannedAt(page, '0', 1);
  const part = await pannedAt(page, '+', 10);
  const near = await pannedAt(page, '+', 12);
  await browser.close();
  rmSync(folder, { recursive: true });
  return [
    { name: `graph of ${NODES}: placed and drawn`, value: median(drawn), unit: 'ms', atMost: 1000 },
    { name: `graph of ${NODES}: moved, all of it`, value: whole, unit: 'fps', atLeast: 50 },
    { name: `graph of ${NODES}: moved, a tenth of its width`, value: part, unit: 'fps', atLeast: 50 },
    { name: `graph of ${NODES}: moved, readable`, value: near, unit: 'fps', atLeast: 50 },
  ];
}

/** Each step leads to some of the next 200, as in real plans. */
function largePlan(): Plan {
  const targets = Array.from({ length: NODES }, () => new Set<number>());
  let seed = 1;
  const next = (most: number) => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed % most;
  };
  for (let edges = 0; edges < EDGES; ) {
    const from = next(NODES - 1);
    const to = Math.min(NODES - 1, from + 1 + next(200));
    if (targets[from]!.has(to)) continue;
    targets[from]!.add(to);
    edges += 1;
  }
  const steps = targets.map((to, i) =>
    step(`step_${i}`, { tasks: [], to: [...to].map((at) => arc(`step_${at}`)) }),
  );
  return plan(steps);
}

function pageOf(large: Plan): string {
  const part = (file: string) =>
    readFileSync(fileURLToPath(new URL(`../workbook/${file}`, import.meta.url)), 'utf8');
  const run = {
    execution_id: 'bench',
    name: 'bench',
    plan: large,
    events: [],
    logs: [],
    values: {},
    children: [],
  };
  return buildRun(run, { part });
}

/** Runs in the page: from another view to the first picture of the graph. */
const OPEN_GRAPH = `new Promise((done) => {
  document.querySelector('[data-view=events]').click();
  setTimeout(() => {
    const start = performance.now();
    document.querySelector('[data-view=graph]').click();
    const look = () => {
      const canvas = document.querySelector('.rv-picture canvas');
      const isDrawn = canvas && canvas.getContext('2d')
        .getImageData(0, canvas.height / 2, canvas.width, 1).data.some((value) => value > 0);
      if (isDrawn) done(performance.now() - start);
      else requestAnimationFrame(look);
    };
    look();
  }, 200);
})`;

/** Frames per second while the pointer pans the picture for two seconds, after a key was pressed several times. */
async function pannedAt(page: Page, key: string, times: number): Promise<number> {
  const graph = page.locator('.rv-picture');
  await graph.focus();
  for (let i = 0; i < times; i++) await graph.press(key);
  await page.waitForTimeout(500);
  const { x, y, width, height } = (await graph.boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  const frames = await page.evaluate<number>(PAN);
  await page.mouse.up();
  return frames;
}

const PAN = `new Promise((done) => {
  const canvas = document.querySelector('.rv-picture canvas');
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const start = performance.now();
  let frames = 0;
  const next = (now) => {
    const turn = (now - start) / 1000;
    if (turn >= 2) return done(frames / turn);
    frames += 1;
    canvas.dispatchEvent(new PointerEvent('pointermove', {
      pointerId: 1, bubbles: true,
      clientX: left + width * (0.5 + 0.45 * Math.sin(turn * 3)), clientY: top + height * (0.5 + 0.45 * Math.sin(turn * 2)),
    }));
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

/** Folds a snapshot and the last events, as a server sends them, until the end of the run can be shown. */
function foldFigure(): Figure {
  const { events, plan: own } = longRun();
  const base = events.length - 1000;
  const snapshot = encodeJson(toSnapshot(events.slice(0, base).reduce(evolve, emptyState('bench', own))));
  const tail = encodeJson(events.slice(base));
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    const fold = new RunFold('bench', own, { from: fromSnapshot(decodeJson(snapshot), own) });
    fold.append(decodeJson<Event[]>(tail));
    fold.at(fold.length);
    fold.step(fold.length, 'each');
    return performance.now() - start;
  });
  const note = `${events.length.toLocaleString('en')} events`;
  return { name: 'run of 300,000 events, usable', value: median(times), unit: 'ms', atMost: 1500, note };
}

function longRun(): { events: Event[]; plan: Plan } {
  const items = Array.from({ length: EVENTS / 4 }, (_, i) => i);
  const driver = new Driver(plan([step('each', { loop: loop(items, { mode: 'parallel' }) })]));
  while (!isEnded(driver.state) && driver.events.length < EVENTS) {
    const [job] = driver.state.jobs.values();
    driver.now += 1;
    driver.ok(job!.id, driver.now);
  }
  return { events: driver.events, plan: driver.plan };
}
