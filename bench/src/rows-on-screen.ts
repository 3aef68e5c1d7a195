/** How long a user waits for rows in Studio's list of runs, from choosing a filter until they are drawn. */
import type { Client } from '@woof/client';
import { type Figure, median, missing, percentile } from './figure.ts';

const PROGRAM = '/usr/bin/chromium';
const MOST_MS = 300;
const ROUNDS = 4;

export async function rowsOnScreen(
  where: string,
  client: Client,
  queries: readonly Record<string, string | number>[],
): Promise<Figure> {
  const name = `${where}: rows on the screen, p95`;
  const { chromium } = await import('playwright-core');
  const browser = await chromium
    .launch({ executablePath: PROGRAM, args: ['--no-sandbox'] })
    .catch(() => undefined);
  if (browser === undefined) return missing(name, 'no chromium here');
  try {
    const { code } = await client.call('login.code');
    const page = await browser.newPage();
    await page.goto(`${client.url}/runs#code=${code}`);
    await page.locator('tbody tr').first().waitFor();
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++)
      for (const query of queries) {
        const address = new URL(`/runs?round=${round}`, client.url);
        for (const [key, value] of Object.entries(query)) address.searchParams.set(key, String(value));
        times.push(await page.evaluate<number>(opened(address.href)));
      }
    const note = `median ${median(times).toFixed(0)} ms, ${queries.length} filters`;
    return { name, value: percentile(times, 0.95), unit: 'ms', atMost: MOST_MS, note };
  } finally {
    await browser.close();
  }
}

/** Follows a link, as saved views do, and waits until the rows, or the message that there are none, are painted. */
const opened = (address: string): string => `new Promise((done) => {
  const link = document.createElement('a');
  link.href = ${JSON.stringify(address)};
  document.body.append(link);
  const start = performance.now();
  link.click();
  link.remove();
  const look = () => {
    const isThere = !document.querySelector('main .skeleton') && document.querySelector('tbody tr, p.empty');
    requestAnimationFrame(isThere ? () => done(performance.now() - start) : look);
  };
  requestAnimationFrame(look);
})`;
