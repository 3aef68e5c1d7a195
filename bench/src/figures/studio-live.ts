/** Studio's page of a run while 50 runs are active: how old an event is when it appears on the screen. */
import type { Page } from 'playwright-core';
import { type Figure, missing, percentile } from '../figure.ts';
import { withMachines } from '../machines.ts';

const PROGRAM = '/usr/bin/chromium';
const RUNS = 50;
const NAME = 'event on the screen, p95 with 50 runs';

const TICKS = `apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: ticks, path: ticks}
workflow:
  - step: start
    loop: {in: "{{ range(40) | list }}", iterator: n, spec: {mode: sequential}}
    tool: {kind: wait, seconds: 0.25}
`;

export async function studioLiveFigures(): Promise<Figure[]> {
  const { chromium } = await import('playwright-core');
  const browser = await chromium
    .launch({ executablePath: PROGRAM, args: ['--no-sandbox'] })
    .catch(() => undefined);
  if (browser === undefined) return [missing(NAME, 'no chromium here')];
  try {
    return await withMachines({ workers: 0, documents: { ticks: TICKS } }, async ({ client }) => {
      const start = async () =>
        (await client.call('executions.start', { body: { path: 'ticks' } })).execution_id;
      const ids = await Promise.all(Array.from({ length: RUNS }, start));
      const id = ids.at(-1)!;
      const { code } = await client.call('login.code');
      const page = await browser.newPage();
      await page.goto(`${client.url}/runs/${id}#code=${code}`);
      const shown = await watched(page);
      const { events } = await client.call('executions.events', { params: { id }, query: { limit: 1000 } });
      const [[first] = [0]] = shown;
      const ages = events
        .filter(({ seq }) => seq > first)
        .map(({ seq, timestamp }) => shown.find(([upTo]) => upTo >= seq)![1] - Date.parse(timestamp));
      const note = `${ages.length} events`;
      return [{ name: NAME, value: percentile(ages, 0.95), unit: 'ms', atMost: 150, note }];
    });
  } finally {
    await browser.close();
  }
}

/** Up to which event the page showed the run, and when, until the run ended. */
async function watched(page: Page): Promise<[number, number][]> {
  await page.locator('.rv-moment').waitFor();
  // As text, because this program has no types for pages.
  return page.evaluate(`new Promise((resolve) => {
    const output = document.querySelector('.rv-moment');
    const shown = [];
    const note = () => {
      shown.push([Number.parseInt(output.textContent, 10), Date.now()]);
      if (output.textContent.includes('playbook.processed')) resolve(shown);
    };
    note();
    new MutationObserver(note).observe(output, { subtree: true, childList: true, characterData: true });
  })`);
}
