/** A notebook that ran and was built, as a person would: in a folder of its own, with the real program. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { afterFile } from '../after-file.ts';
import { lastJson, runWoof } from '../cli/woof.ts';

export interface BuiltPage {
  cwd: string;
  url: string;
  html: string;
  /** The output of `--json`. */
  built: Record<string, unknown>;
}

export interface BuildOptions {
  flags?: string[];
  /** Lines of the sidecar, in place of a run. */
  sidecar?: string;
}

/** The same notebook is run and built once for all tests of a file. */
export function buildPage(notebook: string, options: BuildOptions = {}): Promise<BuiltPage> {
  const key = JSON.stringify([notebook, options]);
  const known = pages.get(key) ?? build(notebook, options);
  pages.set(key, known);
  afterFile(() => pages.delete(key));
  return known;
}

const pages = new Map<string, Promise<BuiltPage>>();

async function build(notebook: string, { flags = [], sidecar }: BuildOptions): Promise<BuiltPage> {
  const cwd = mkdtempSync(join(tmpdir(), 'woof-notebook-page-'));
  afterFile(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, 'n.woofnb'), notebook);
  if (sidecar !== undefined) writeFileSync(join(cwd, 'n.woofnb.out'), sidecar);
  if (sidecar === undefined) await runWoof(['run', 'n.woofnb', '--quiet'], { cwd });
  const built = await runWoof(['build', 'n.woofnb', '-o', 'n.html', '--json', ...flags], { cwd });
  expect(built.status, built.stderr).toBe(0);
  const file = join(cwd, 'n.html');
  return { cwd, url: pathToFileURL(file).href, html: readFileSync(file, 'utf8'), built: lastJson(built) };
}

/** Waits until the page says that its cells have this state. */
export async function untilLive(page: Page, state: 'live' | 'running' = 'live'): Promise<void> {
  await page.waitForFunction((wanted) => document.documentElement.dataset.live === wanted, state, {
    timeout: 500_000,
  });
}

/** The text under each cell that has outputs, by id. */
export async function outputTexts(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() => {
    const outputs = [...document.querySelectorAll<HTMLElement>('.outputs')];
    const plain = outputs.filter((each) => each.querySelector('.chart') === null);
    return Object.fromEntries(plain.map((each) => [each.id.replace('out-', ''), each.textContent.trim()]));
  });
}

export async function statuses(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() => {
    const cells = [...document.querySelectorAll<HTMLElement>('.cell[data-status]')];
    return Object.fromEntries(cells.map((each) => [each.id.replace('cell-', ''), each.dataset.status!]));
  });
}

/** Waits until no cell is waiting or running. */
export async function untilSettled(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.documentElement.dataset.live === 'live' &&
      document.querySelector('[data-status=waiting], [data-status=running]') === null,
    undefined,
    { timeout: 500_000 },
  );
  // Outputs are painted once per frame.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}
