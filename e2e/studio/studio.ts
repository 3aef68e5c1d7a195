/** A real server with a worker, and a browser that is signed in to its Studio. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Client } from '@woof/client/http';
import type { BrowserContext, Page } from 'playwright-core';
import { temporaryFolder } from '../cli/woof.ts';
import { type ServerProcess, startServer } from '../server/machines.ts';
import type { TestBrowser, Visit } from '../workbook/browser.ts';

export interface Studio extends ServerProcess {
  cwd: string;
  client: Client;
}

export async function startStudio(files: Record<string, string> = {}): Promise<Studio> {
  const cwd = temporaryFolder(files);
  const server = await startServer(cwd, { verb: 'up' });
  return { ...server, cwd, client: new Client(server) };
}

/** A page of Studio, signed in by a one-time link as `woof up` prints it. */
export async function enter(
  { url, token }: Pick<Studio, 'url' | 'token'>,
  browser: TestBrowser,
  path = '/',
  profile?: BrowserContext,
): Promise<Visit> {
  const { code } = await new Client({ url, token }).call('login.code');
  const visit = await browser.visit(`${url}${path}#code=${code}`, profile);
  await visit.page.locator('header.frame').waitFor();
  return visit;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds wrong with a page, one line each. */
export async function flaws(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    interface Found {
      violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
    }
    const { axe } = globalThis as unknown as { axe: { run(): Promise<Found> } };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary ?? ''}`),
    );
  });
}
