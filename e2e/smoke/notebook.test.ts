/** A notebook, and the page that it becomes. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { probeSandbox, sandboxRefusal } from '@woof/sandbox';
import { beforeAll, describe, expect } from 'vitest';
import { lastJson, runWoof, temporaryFolder } from '../cli/woof.ts';
import { noBrowser, requestsElsewhere, useBrowser } from '../workbook/browser.ts';
import { example, examplePath } from './documents.ts';
import { felt } from './felt.ts';

const probe = await probeSandbox();
const noSandbox = probe.available ? undefined : sandboxRefusal(probe);

describe('a notebook', () => {
  let cwd: string;
  beforeAll(() => {
    cwd = temporaryFolder({ 'tour.woofnb': example('tour.woofnb') });
  });
  const run = () => runWoof(['run', 'tour.woofnb', '--json'], { cwd });

  felt('woof run tour.woofnb', { limit: 15, without: noSandbox }, async (clock) => {
    const ran = await clock.time(run);
    expect(ran).toMatchObject({ status: 0 });
    const statuses = Object.values(lastJson(ran).steps).map(({ status }) => status);
    expect([...new Set(statuses)]).toEqual(['succeeded']);
  });

  felt('the same again, from the cache', { limit: 2, without: noSandbox }, async (clock) => {
    expect(await clock.time(run)).toMatchObject({ status: 0 });
    const why = await runWoof(['why', 'tour.woofnb'], { cwd });
    expect(why.stdout).not.toContain('it would run');
  });

  felt('woof build tour.woofnb', { limit: 5, without: noSandbox }, async (clock) => {
    const built = await clock.time(() =>
      runWoof(['build', 'tour.woofnb', '-o', 'tour.html', '--json'], { cwd }),
    );
    expect(built).toMatchObject({ status: 0 });
    expect(lastJson(built)).toMatchObject({ kind: 'notebook', left: [] });
  });

  describe('in Chromium', () => {
    const browser = noBrowser ? undefined : useBrowser();
    const open = (file: string) => browser!.visit(pathToFileURL(join(cwd, file)).href);

    felt('its page opens', { limit: 10, without: noSandbox ?? noBrowser }, async (clock) => {
      const visit = await clock.time(() => open('tour.html'));
      expect(await visit.page.title()).toBe('A week at the kennel');
      await clock.time(() => visit.page.getByText('32.0 of 100 km').waitFor());
      expect([visit.errors, requestsElsewhere(visit)]).toEqual([[], []]);
    });

    felt(
      'woof build examples/budget, and its page opens',
      { limit: 10, without: noBrowser },
      async (clock) => {
        const args = ['build', examplePath('budget'), '-o', 'budget.html'];
        expect(await clock.time(() => runWoof(args, { cwd }))).toMatchObject({ status: 0 });
        const visit = await clock.time(() => open('budget.html'));
        await clock.time(() => visit.page.getByLabel('What for').waitFor());
        expect([visit.errors, requestsElsewhere(visit)]).toEqual([[], []]);
      },
    );
  });
});
