/** The page of a run: what failed and why, answers, live events, a server that dies, and what hostile runs say. */
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit/unless';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { playbook, until } from '../cli/woof.ts';
import { startServer } from '../server/machines.ts';
import { noBrowser, useBrowser } from '../workbook/browser.ts';
import { bringBehind, settled, tabTo } from './in-page.ts';
import { enter, flaws, type Studio, startStudio } from './studio.ts';

const named = (name: string, workflow: string, more = '') => playbook(workflow, more).replace('test', name);

const BROKEN = named(
  'broken',
  `- step: start
  tool: {kind: noop, result: {rows: "{{ workload.rows }}"}}
  next: {arcs: [{step: divide}]}
- step: divide
  tool: {kind: noop, result: "{{ 1 / start.rows }}"}
`,
  'workload: {rows: 0}\n',
);

const CODE = named(
  'broken',
  `- step: start
  tool: {kind: noop, result: {rows: 0}}
  next: {arcs: [{step: divide}]}
- step: divide
  tool:
    kind: python
    args: {rows: "{{ start.rows }}"}
    code: |
      result = 1 / rows
`,
);

const GATE = named(
  'release',
  `- step: start
  tool: {kind: noop, result: built}
  next: {arcs: [{step: ask}]}
- step: ask
  tool: {kind: gate, message: "Ship it?"}
`,
);

const TICKS = named(
  'ticks',
  `- step: start
  loop: {in: "{{ range(workload.n) | list }}", iterator: n, spec: {mode: sequential}}
  tool: {kind: wait, seconds: 0.1}
  next: {arcs: [{step: hold}]}
- step: hold
  tool: {kind: gate}
`,
  'workload: {n: 20}\n',
);

const LOOP = named(
  'loop',
  `- step: start
  loop: {in: [4, 0, 2], iterator: n, spec: {mode: sequential}}
  tool: {kind: python, args: {n: "{{ n }}"}, code: result = 8 / n}
`,
);

const RETRIED = named(
  'retried',
  `- step: start
  tool:
    kind: http
    url: http://127.0.0.1:1/
    spec:
      policy:
        rules:
          - {when: "{{ outcome.status == 'error' }}", then: {do: retry, attempts: 3, delay: 86400}}
`,
);

async function started(studio: Studio, text: string, more: object = {}): Promise<string> {
  return (await studio.client.call('executions.start', { body: { text, ...more } })).execution_id;
}

async function ended({ client }: Studio, id: string): Promise<void> {
  await until(`run ${id} ended`, async () => {
    const { ended_at } = await client.call('executions.row', { params: { id } });
    return ended_at !== undefined;
  });
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name });

const moment = (page: Page) => page.locator('.rv-moment');

/** The numbers of all events that the list shows, from its first to its last row. */
async function listed(page: Page): Promise<number[]> {
  await page.getByRole('tab', { name: 'Events' }).click();
  const list = page.getByRole('listbox', { name: 'Events' });
  await list.waitFor();
  const seen = new Set<number>();
  for (let lowest = Number.POSITIVE_INFINITY; lowest > 1; ) {
    const rows = (await list
      .locator('.rv-row')
      .evaluateAll((all) =>
        all.map((row) => [
          Number(row.querySelector('.rv-seq')!.textContent),
          row.querySelector('.rv-what')!.textContent,
        ]),
      )) as [number, string][];
    const first = Math.min(...rows.map(([seq]) => seq));
    // Rows that are being loaded, or not drawn yet since the list was moved.
    if (first >= lowest || rows.some(([, name]) => name === '…')) continue;
    lowest = first;
    for (const [seq] of rows) seen.add(seq);
    await list.evaluate((box) => {
      box.scrollTop -= box.clientHeight / 2;
    });
  }
  return [...seen].sort((a, b) => a - b);
}

/** What a frame of these lines shows if its numbers are right-aligned: every line keeps its columns. */
function inDocument(document: string, shown: readonly string[]): string[] {
  const from = Number.parseInt(shown[0]!, 10);
  const lines = document.split('\n').slice(from - 1, from - 1 + shown.length);
  const width = String(from + shown.length - 1).length;
  const numbered = lines.map((text, i) => `${String(from + i).padStart(width)} ${text}`);
  const at = numbered.findIndex((line) => line.includes('1 / start.rows'));
  numbered[at] += `\n${' '.repeat(numbered[at]!.indexOf('{{'))}^`;
  return numbered;
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describeUnless(noBrowser)('the page of a run', () => {
  const browser = useBrowser();
  let studio: Studio;
  beforeAll(async () => {
    studio = await startStudio();
  });
  afterAll(() => studio.child.kill());

  it('a failing run is understood with one click on a link of the list', async () => {
    const id = await started(studio, CODE, { file: 'broken.yaml' });
    await ended(studio, id);
    const { page, errors } = await enter(studio, browser, '/runs?status=failed');
    await page.getByRole('link', { name: 'broken' }).first().click();
    await heading(page, 'This run failed').waitFor();
    await page.waitForURL(`${studio.url}/runs/${id}?step=divide`);
    await page.goBack();
    await page.waitForURL(`${studio.url}/runs?status=failed`);
    await page.goForward();
    const pane = page.getByRole('region', { name: 'Step' });
    await pane.getByText('division by zero').first().waitFor();
    await pane.locator('.rv-marked', { hasText: 'result = 1 / rows' }).waitFor();
    const line = CODE.split('\n').findIndex((text) => text.includes('1 / rows')) + 1;
    await pane
      .getByRole('region', { name: 'Traceback' })
      .getByText(`File "broken.yaml", line ${line}`)
      .waitFor();
    expect(await flaws(page)).toEqual([]);
    expect(errors.filter((error) => !error.includes('401'))).toEqual([]);
  });

  it('a rerun shows what it reuses before it starts, and what was typed survives a login', async () => {
    const id = await started(studio, BROKEN);
    await ended(studio, id);
    const { page } = await enter(studio, browser, `/runs/${id}`);
    await page.locator('.rv-marked').waitFor();
    const shown = await page.locator('.rv-code div').allInnerTexts();
    expect(shown).toEqual(inDocument(BROKEN, shown));
    expect(shown[0]).toMatch(/^ \d /);
    await page.getByRole('button', { name: 'Rerun from here' }).click();
    const from = page.getByLabel('Start from');
    expect(await from.inputValue()).toBe('divide');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Rerun', exact: true }).click();
    expect(await from.inputValue()).toBe('');
    const box = page.getByLabel('Workload (JSON)');
    await page.getByRole('region', { name: 'Reused (1)' }).waitFor();
    await page.locator('button:enabled', { hasText: 'Start rerun' }).waitFor();
    const held: Route[] = [];
    await page.route(/\/rerun$/, (route) => void held.push(route));
    await box.fill('{"rows": 3}');
    await page.locator('button:disabled', { hasText: 'Start rerun' }).waitFor();
    await page.unroute(/\/rerun$/);
    await Promise.all(held.map((route) => route.abort()));
    await box.fill('{"rows": 4');
    await page.getByText('The workload is not valid JSON').waitFor();
    expect(await page.getByRole('button', { name: 'Start rerun' }).isDisabled()).toBe(true);
    await page.evaluate(() => fetch('/v1/logout', { method: 'POST' }));
    await box.fill('{"rows": 4}');
    await page.getByLabel('Token').fill(studio.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('region', { name: 'Runs again (2)' }).waitFor();
    expect(await box.inputValue()).toBe('{"rows": 4}');
    await page.getByRole('button', { name: 'Start rerun' }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(id));
    await page.locator('.facts', { hasText: 'succeeded' }).waitFor();
    await page.getByRole('link', { name: 'compare' }).click();
    await page.getByText('2 of 2 steps differ.').waitFor();
    await page.getByText('Workload: different').click();
    await page.locator('[data-diff=added]', { hasText: '"rows": 4' }).first().waitFor();
    expect(await flaws(page)).toEqual([]);
  });

  it('a gate is answered with a note in two clicks, and the audit says by whom', async () => {
    const id = await started(studio, GATE);
    const { token } = await studio.client.call('tokens.create', { body: { name: 'ann', role: 'operator' } });
    const { page } = await enter({ ...studio, token }, browser, `/runs/${id}`);
    await heading(page, 'This run is waiting for approval').waitFor();
    expect(await flaws(page)).toEqual([]);
    await page.locator('.facts', { hasText: 'started by admin of this directory' }).waitFor();
    // It waits until now, and not until its last event.
    const duration = page.getByRole('region', { name: 'Step' }).locator('dl > div', { hasText: 'Duration' });
    await duration.getByText(/\d s$/).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type(id);
    await page.getByRole('option', { name: `release waiting for approval · ${id}` }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Note on ask of release').fill('fine by me');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('.facts', { hasText: 'succeeded' }).waitFor();
    const { entries } = await studio.client.call('audit.list', { query: { limit: 20 } });
    expect(entries.find(({ what }) => what === 'executions.approve')?.who).toMatch(/ ann$/);
    const { events } = await studio.client.call('executions.events', { params: { id } });
    expect(events.find(({ name }) => name === 'step.approved')?.data).toMatchObject({
      by: 'ann',
      note: 'fine by me',
    });
  });

  it('the input of a loop is that of the iteration that failed, or of another that somebody names', async () => {
    const id = await started(studio, LOOP);
    await ended(studio, id);
    const { page } = await enter(studio, browser, `/runs/${id}`);
    await page.locator('summary', { hasText: 'Input' }).click();
    const input = page.getByRole('region', { name: 'Input' });
    await input.getByText('"n": 0').waitFor();
    const iteration = page.getByLabel('Iteration', { exact: true });
    expect(await iteration.inputValue()).toBe('1');
    expect(await flaws(page)).toEqual([]);
    await iteration.fill('0');
    await iteration.press('Enter');
    await input.getByText('"n": 4').waitFor();
    await iteration.fill('9');
    await iteration.press('Enter');
    await page.getByText('Iteration 9 has not begun.').waitFor();
  });

  it('what an attempt failed with is shown before the next one begins, and other runs of the document are one click away', async () => {
    const id = await started(studio, RETRIED, { file: 'retried.yaml' });
    const { page } = await enter(studio, browser, `/runs/${id}?step=start`);
    await heading(page, 'This run is waiting').waitFor();
    const attempts = page.getByRole('region', { name: 'Attempts' });
    await attempts.getByText(/127\.0\.0\.1:1/).waitFor();
    expect(await flaws(page)).toEqual([]);
    await page.getByRole('link', { name: 'retried.yaml' }).click();
    await page.getByRole('button', { name: 'Remove name: retried' }).waitFor();
    await page.getByRole('row', { name: /retried/ }).waitFor();
    await page
      .getByRole('row', { name: /broken/ })
      .first()
      .waitFor({ state: 'detached' });
  });

  it('a comparison follows runs in progress', async () => {
    const [a, b] = [await started(studio, GATE), await started(studio, GATE)];
    const { page } = await enter(studio, browser, `/compare?a=${a}&b=${b}`);
    const side = page.getByRole('region', { name: 'Run B' });
    await side.getByText('waiting for approval').waitFor();
    await studio.client.call('executions.approve', { params: { id: b }, body: { step: 'ask' } });
    await side.getByText('succeeded').waitFor();
    await page.getByText('1 of 2 steps differ.').waitFor();
  });

  it('a viewer is offered nothing that would be refused', async () => {
    const id = await started(studio, GATE);
    const { token } = await studio.client.call('tokens.create', { body: { name: 'eve', role: 'viewer' } });
    const buttons = /^(Approve|Reject|Pause|Cancel run)$/;
    const { page } = await enter({ ...studio, token }, browser, `/runs/${id}`);
    await heading(page, 'This run is waiting for approval').waitFor();
    expect(await page.getByRole('button', { name: buttons }).count()).toBe(0);
    const admin = await enter(studio, browser, `/runs/${id}`);
    await heading(admin.page, 'This run is waiting for approval').waitFor();
    expect(await admin.page.getByRole('button', { name: buttons }).count()).toBe(3);
    await admin.page.getByRole('button', { name: 'Cancel run' }).click();
    await admin.page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await heading(page, 'This run was cancelled').waitFor();
  });

  it('whoever is not among the approvers of a gate is offered no answer', async () => {
    const id = await started(
      studio,
      GATE.replace('kind: gate', 'kind: gate, approvers: [ann]').replace('release', 'theirs'),
    );
    const { page } = await enter(studio, browser, `/runs/${id}`);
    const answers = page.getByLabel('Note on ask of theirs');
    await page.getByText('Only ann may answer.').waitFor();
    expect(await answers.count()).toBe(0);
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByText('Only ann may answer.').waitFor();
    expect(await answers.count()).toBe(0);
    // The control: she is offered it.
    const { token } = await studio.client.call('tokens.create', { body: { name: 'ann', role: 'operator' } });
    const { page: hers } = await enter({ ...studio, token }, browser, `/runs/${id}`);
    await hers.getByLabel('Note on ask of theirs').waitFor();
    await studio.client.call('executions.cancel', { params: { id } });
  });

  it('an earlier moment of a run stays while the run continues', async () => {
    const id = await started(studio, GATE);
    const { page } = await enter(studio, browser, `/runs/${id}`);
    await heading(page, 'This run is waiting for approval').waitFor();
    await page.getByRole('button', { name: 'First event' }).click();
    await page.getByRole('button', { name: 'One event forward' }).click();
    await page.waitForURL(/[?&]seq=1\b/);
    await moment(page).getByText('playbook.execution.requested').waitFor();
    const before = await moment(page).innerText();
    await studio.client.call('executions.approve', { params: { id }, body: { step: 'ask' } });
    await page.locator('.facts', { hasText: 'succeeded' }).waitFor();
    expect((await moment(page).innerText()).split(' / ')[0]).toBe(before.split(' / ')[0]);
    await page.reload();
    await moment(page).getByText('playbook.execution.requested').waitFor();
    await page.getByRole('button', { name: 'To the end' }).click();
    await moment(page).getByText('playbook.processed').waitFor();
  });

  it.each(['light', 'dark'] as const)(
    'in the %s theme, axe-core objects to nothing in any view of an earlier moment',
    async (colorScheme) => {
      const text = named(
        'dim',
        `- step: start
  tool:
    kind: python
    code: |
      for colour in [31, 32, 33, 34, 35, 36, 90, 97]:
          print(f"\\033[2;{colour}mdim\\033[0m \\033[2mgrey\\033[0m")
`,
      );
      const id = await started(studio, text);
      await ended(studio, id);
      const profile = await browser.newProfile({ colorScheme });
      const { page } = await enter(studio, browser, `/runs/${id}?seq=4`, profile);
      await page.getByRole('tab', { name: 'Logs' }).click();
      await page.getByText('grey').first().waitFor();
      expect(await flaws(page)).toEqual([]);
      for (const tab of await page.getByRole('tab').all()) {
        await tab.click();
        await settled(page);
        expect(await flaws(page)).toEqual([]);
      }
      await profile.close();
    },
  );

  it('a log that is read on from one of its lines stays where it is when its end is loaded', async () => {
    const id = await started(studio, GATE);
    const { page } = await enter(studio, browser, '/inbox');
    // What a program writes comes in pieces of any size: so many lines of known places need no program.
    const at = new Date(0).toISOString();
    const all = upTo(1300).map((n) => ({
      cursor: String(n),
      at,
      step: 'ask',
      stream: 'stdout',
      text: `${n}\n`,
    }));
    await page.route(/\/logs\?/, (route) => {
      const { searchParams } = new URL(route.request().url());
      const [from, before] = ['from', 'before'].map((name) => Number(searchParams.get(name) ?? Number.NaN));
      const lines = Number.isNaN(before!)
        ? all.slice(from, from! + 500)
        : all.slice(Math.max(0, before! - 501), before! - 1);
      return route.fulfill({ json: { lines, next: '1300', previous: lines[0]?.cursor } });
    });
    await page.goto(`${studio.url}/runs/${id}?view=logs&line=600%230`);
    const log = page.getByRole('listbox', { name: 'Log' });
    const option = (line: number) => log.getByRole('option').getByText(String(line), { exact: true });
    await log.locator('[aria-setsize="1099"]').first().waitFor();
    await option(600).waitFor();
    await log.evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
    await log.locator('[aria-setsize="1300"]').first().waitFor();
    await option(1099).waitFor();
    expect(await option(1300).count()).toBe(0);
  });

  it('what a run writes is shown as text, whatever it is', async () => {
    const hostile = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
    const said = `${hostile}\u202e\u001b[31mred`;
    const text = named(
      JSON.stringify(`${hostile}\u202egpj`),
      `- step: start
  tool: {kind: noop, result: "{{ workload.said }}"}
  next: {arcs: [{step: long}]}
- step: long
  tool: {kind: noop, result: "{{ workload.said * 10000 }}"}
  next: {arcs: [{step: write}]}
- step: write
  tool:
    kind: python
    args: {who: ann, said: "{{ workload.said }}"}
    code: |
      import sys
      sys.stdout.write("one\\n" + said + "\\x1b[2J\\x1b]0;title\\x07\\n")
      result = "x" * 12_000_000
`,
      'workload: {said: ""}\n',
    );
    const id = await started(studio, text, { payload: { said }, file: '<img src=x onerror=pwned=1>.yaml' });
    await ended(studio, id);
    const { page } = await enter(studio, browser, `/runs/${id}`);
    await page.locator('.facts', { hasText: 'succeeded' }).waitFor();
    const plain = `${hostile}\\u202egpj`;
    expect([await heading(page, 'gpj').innerText(), await page.title()]).toEqual([plain, `${plain} · Woof`]);
    await page.locator('[data-step=write]').click();
    // Only the beginning of a large value is loaded, and the page stays usable while it is downloaded.
    await page.getByText('Only the first 100 KB are shown.').waitFor();
    const result = page.getByRole('region', { name: 'Result', exact: true });
    expect(await result.innerText()).toMatch(/^"x+$/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download result (12.0 MB)' }).click(),
    ]);
    for (const step of ['start', 'long']) {
      await page.locator(`[data-step=${step}]`).click();
      await page.getByRole('heading', { level: 2, name: step }).waitFor();
    }
    await download.cancel();
    await page.getByText('Only the first 100 KB are shown.').waitFor();
    const stored = (await page.getByRole('link', { name: /^Download result/ }).getAttribute('href'))!;
    await page.route(`**${stored}`, (route) => route.abort(), { times: 1 });
    await page.getByRole('button', { name: /Load full value \(\d+ KB\)/ }).click();
    await page.getByRole('alert').filter({ hasText: 'could not be loaded' }).waitFor();
    await page.getByRole('button', { name: /Try again \(\d+ KB\)/ }).click();
    await page.getByText('<script>window.pwned=1</script>').last().waitFor();
    const steering = async () => {
      const html = await page.content();
      return ['\u001b', '\u202e'].some((char) => html.includes(char));
    };
    for (const view of ['Timeline', 'Events', 'Logs']) {
      expect(await steering()).toBe(false);
      await page.getByRole('tab', { name: view }).click();
    }
    const log = page.getByRole('listbox', { name: 'Log' });
    await log.waitFor();
    const { lines } = await studio.client.call('executions.logs', { params: { id } });
    const written = lines.map((line) => line.text).join('');
    // A step whose worker was too busy to keep its lease runs again, and says the same again.
    const times = written.split('one\n').length - 1;
    const shown = Array.from({ length: times }, () => ['one', `${hostile}\\u202ered`]);
    expect(await log.locator('.rv-text').allInnerTexts()).toEqual(shown.flat());
    await log.locator('.ansi-red', { hasText: 'red' }).waitFor();
    expect(await steering()).toBe(false);
    // The control: the server has all of it as it was written.
    expect(written).toContain(`${said}\u001b[2J\u001b]0;title\u0007`);
    await page.goto(`${studio.url}/runs/${id}?step=write`);
    await page.locator('summary', { hasText: 'Input' }).click();
    const input = page.getByRole('region', { name: 'Input' });
    await input.getByText('"ann"').waitFor();
    expect(await input.innerText()).not.toContain('\\u000a');
    const pwned = (where: Page) => where.evaluate(() => 'pwned' in window);
    expect(await pwned(page)).toBe(false);
    // If Studio treated it as HTML, the browser would refuse.
    const asHtml = page.evaluate((html) => {
      document.body.innerHTML = html;
    }, hostile);
    await expect(asHtml).rejects.toThrow('TrustedHTML');
    // What a run wrote never becomes a page of Studio's origin: the browser downloads it.
    for (const path of [stored, `/v1/executions/${id}/report`])
      await expect(page.goto(`${studio.url}${path}`)).rejects.toThrow('Download is starting');
    // The control: the same text runs if a page treats it as HTML.
    const { page: careless } = await browser.visit('about:blank');
    await careless.setContent(hostile);
    expect(await pwned(careless)).toBe(true);
  });

  it('names of steps and approvers cannot turn the text of any page around', async () => {
    const odd = '<b>odd\u202e';
    const workflow = `- step: start
  tool: {kind: noop}
  next: {arcs: [{step: ${JSON.stringify(odd)}}]}
- step: ${JSON.stringify(odd)}
  tool: {kind: gate, approvers: ["admin of this directory", ${JSON.stringify(odd)}]}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, result: "{{ 1 / 0 }}"}
`;
    const id = await started(studio, named('odd', workflow));
    const { page } = await enter(studio, browser, '/');
    const shown = async (text: string) => {
      await page.getByText(text).first().waitFor();
      expect(await page.evaluate(() => document.body.textContent)).not.toContain('\u202e');
    };
    await shown('<b>odd\\u202e');
    await page.goto(`${studio.url}/runs/${id}`);
    await shown('Only admin of this directory, <b>odd\\u202e may answer.');
    await page.getByRole('button', { name: 'Approve' }).click();
    await shown('<b>odd\\u202e approved');
    await heading(page, 'This run failed').waitFor();
    await page.getByRole('button', { name: 'Rerun', exact: true }).click();
    await page.getByLabel('Start from').selectOption(odd);
    await page.getByRole('region', { name: 'Runs again (2)' }).waitFor();
    await shown('<b>odd\\u202e');
  });

  it('time travel, a report, a rerun from a step and a comparison need only the keyboard', async () => {
    const id = await started(studio, BROKEN);
    await ended(studio, id);
    const { page } = await enter(studio, browser, `/runs/${id}`);
    const { keyboard } = page;
    await heading(page, 'This run failed').waitFor();

    await tabTo(page, /^First event$/);
    await keyboard.press('Enter');
    await page.waitForURL(/[?&]seq=0\b/);
    await tabTo(page, /^One event forward$/);
    await keyboard.press('Enter');
    await moment(page).getByText('playbook.execution.requested').waitFor();

    await tabTo(page, /^Report$/);
    const [report] = await Promise.all([page.waitForEvent('download'), keyboard.press('Enter')]);
    expect(report.suggestedFilename()).toBe(`${id}.html`);

    await tabTo(page, /^Rerun from here$/);
    await keyboard.press('Enter');
    await page.getByRole('region', { name: 'Reused (1)' }).waitFor();
    await page.locator('button:enabled', { hasText: 'Start rerun' }).waitFor();
    await tabTo(page, /^Start rerun$/);
    await keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(id));
    await heading(page, 'This run failed').waitFor();
    await page.locator('[data-step=start]', { hasText: 'reused' }).waitFor();

    await tabTo(page, /^Steps$/);
    await keyboard.press('Home');
    const pane = page.getByRole('region', { name: 'Step' });
    expect(await pane.getByRole('link', { name: id }).getAttribute('href')).toBe(`/runs/${id}`);

    await tabTo(page, /^compare$/);
    await keyboard.press('Enter');
    await page.getByText('All steps are the same.').waitFor();
    for (const letter of ['A', 'B'])
      await page
        .getByRole('region', { name: `Run ${letter}` })
        .getByText('failed')
        .waitFor();
    expect(await flaws(page)).toEqual([]);
  });

  it('a name of a megabyte takes one line', async () => {
    const id = await started(studio, BROKEN);
    const { page } = await enter(studio, browser, `/runs/${id}`);
    await heading(page, 'broken').waitFor();
    const name = 'n'.repeat(1_000_000);
    const renamed = (row: object) => ({ ...row, name, path: name });
    await page.context().route(/\/row$/, async (route) => {
      const row = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: renamed(row) });
    });
    await page.context().route(/\/v1\/executions\?/, async (route) => {
      const { executions } = (await (await route.fetch()).json()) as { executions: object[] };
      await route.fulfill({ json: { executions: executions.slice(0, 2).map(renamed) } });
    });
    await page.reload();
    await heading(page, 'nnn').waitFor();
    expect(await heading(page, 'nnn').innerText()).toBe(`${'n'.repeat(200)}…`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('link', { name: /^nnn/ }).first().waitFor();
    expect(await page.evaluate(() => document.body.textContent!.includes('n'.repeat(201)))).toBe(false);
    // Studio keeps polling: a pending answer must not delay the end of the profile.
    await page.context().unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('any number of tabs of runs in progress leave the server to the tab in front, and are current when seen', async () => {
    // More than the connections that a browser opens to one server.
    const count = 9;
    const id = await started(studio, TICKS, { payload: { n: 1 } });
    const profile = await browser.newProfile();
    await enter(studio, browser, '/', profile);
    const tabs: Page[] = [];
    for (let tab = 0; tab < count; tab++) {
      const { page } = await browser.visit(`${studio.url}/runs/${id}`, profile);
      await page.getByRole('button', { name: 'Approve' }).waitFor();
      tabs.push(page);
      await bringBehind(page, true);
    }
    await studio.client.call('executions.approve', { params: { id }, body: { step: 'hold' } });
    await ended(studio, id);
    const [first] = tabs;
    await bringBehind(first!, false);
    await first!.locator('header.run').getByText('succeeded').waitFor();
    await first!.locator('a[href="/"]').first().click();
    await bringBehind(first!, true);
    await bringBehind(first!, false);
    await first!.getByRole('heading', { name: 'Inbox' }).waitFor();
    await profile.close();
  });

  it('bad cases have their own words', async () => {
    const { page } = await enter(studio, browser, '/runs/20200101-000000-gone0000');
    await heading(page, 'Run not found').waitFor();
    const id = await started(studio, GATE);
    const state = /\/state$/;
    await page
      .context()
      .route(state, (route) => route.fulfill({ json: { seq: 1, state: { plan_hash: 'none' } } }));
    await page.goto(`${studio.url}/runs/${id}`);
    await page.getByText('Studio cannot show this run').waitFor();
    await page.getByRole('cell', { name: 'playbook.execution.requested' }).waitFor();
    await page.context().unroute(state);
    const problem = { status: 503, code: 'store/unavailable', detail: 'the store does not answer' };
    await page.context().route(state, (route) => route.fulfill({ status: 503, json: problem }));
    await page.reload();
    await page.getByText('Reconnecting…').waitFor();
    await page.getByText('the store does not answer').waitFor();
    await page.context().unroute(state);
    await heading(page, 'This run is waiting for approval').waitFor();
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
    const note = page.getByLabel('Note on ask of release');
    await note.fill('fine by me');
    const refused = async (answer: (route: Route) => Promise<void>, words: string) => {
      await page.context().route(/\/approve$/, answer);
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.locator('.notice', { hasText: words }).waitFor();
      expect(await note.inputValue()).toBe('fine by me');
      await page.context().unroute(/\/approve$/);
    };
    await refused((route) => route.abort(), 'Check that the server is running, then try again.');
    await refused((route) => route.fulfill({ status: 503, json: problem }), 'The server lost its store.');
    const gone = { status: 404, code: 'not-found', detail: 'there is no such execution' };
    await page.context().route(/\/row$/, (route) => route.fulfill({ status: 404, json: gone }));
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('This run was removed from the server.').waitFor();
    await page.getByRole('tab', { name: 'Graph' }).waitFor();
    expect(await flaws(page)).toEqual([]);
  });

  it('a session that ended and a token that is wrong are said at the login', async () => {
    const id = await started(studio, GATE);
    const created = await studio.client.call('tokens.create', { body: { name: 'zoe', role: 'operator' } });
    const { page } = await enter({ ...studio, token: created.token }, browser, `/runs/${id}`);
    await heading(page, 'This run is waiting for approval').waitFor();
    await studio.client.call('tokens.revoke', { params: { id: created.id } });
    await page.getByText('Your session has ended. Sign in again; what you typed is kept.').waitFor();
    const box = page.getByLabel('Token');
    await box.fill(created.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Sign in again with a token that is valid.').waitFor();
    expect(await box.inputValue()).toBe(created.token);
    await box.fill(studio.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'This run is waiting for approval').waitFor();
  });

  it('events arrive once and in order, even if the server is killed and restarts', async () => {
    const id = await started(studio, TICKS);
    const { page } = await enter(studio, browser, `/runs/${id}`);
    await moment(page).waitFor();
    await page.evaluate(() => {
      const shown: number[] = [];
      Object.assign(window, { shown });
      const output = document.querySelector('.rv-moment')!;
      const note = () => shown.push(Number.parseInt(output.textContent!, 10));
      new MutationObserver(note).observe(output, { subtree: true, childList: true, characterData: true });
    });
    await until(
      'some events are shown',
      async () => Number.parseInt(await moment(page).innerText(), 10) > 20,
    );
    studio.child.kill('SIGKILL');
    await studio.ended;
    await page.getByText('Reconnecting…').waitFor();
    await heading(page, 'ticks').waitFor();
    const { cwd, url } = studio;
    const port = Number(new URL(url).port);
    const server = await startServer(cwd, { verb: 'up', port, data: join(cwd, 'data') });
    studio = { ...studio, ...server };
    // It cannot end before the server is killed.
    await heading(page, 'This run is waiting for approval').waitFor();
    await studio.client.call('executions.approve', { params: { id }, body: { step: 'hold' } });
    await page.locator('.facts', { hasText: 'succeeded' }).waitFor();
    const row = await studio.client.call('executions.get', { params: { id } });
    expect(await listed(page)).toEqual(upTo(row.events));
    const shown = await page.evaluate(() => (window as unknown as { shown: number[] }).shown);
    expect(shown).toEqual([...shown].sort((a, b) => a - b));
    expect(shown.at(-1)).toBe(row.events);
  });
});
