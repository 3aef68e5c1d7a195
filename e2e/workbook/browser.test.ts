/** The browser of the tests itself: what it says about a page is true. */
import { describeUnless } from '@woof/testkit/unless';
import { afterAll, expect, it } from 'vitest';
import { noBrowser, requestsElsewhere, servePages, useBrowser, writePage } from './browser.ts';

/** A busy machine may be slow. */
const NO_LIMIT = { timeout: 500_000 };

describeUnless(noBrowser)('the browser of the tests', () => {
  const browser = useBrowser();
  const closing: (() => Promise<void>)[] = [];
  afterAll(() => Promise.all(closing.map((close) => close())));

  async function serve(pages: Record<string, string>) {
    const server = await servePages(pages);
    closing.push(server.close);
    return server;
  }

  it('opens a page from a file, and sees that it asks for nothing', async () => {
    const seen = await browser.visit(writePage('<title>quiet</title><img src="data:,">'));
    expect(await seen.page.title()).toBe('quiet');
    expect(requestsElsewhere(seen)).toEqual([]);
    expect(seen.errors).toEqual([]);
  });

  it('sees what a page asks for and complains about', async () => {
    const server = await serve({ '/other': 'other' });
    const asks = `fetch('${server.origin}/other?a').catch(() => {}).finally(() => { document.title = 'asked' })`;
    const code = `${asks}; console.error('bad'); throw new Error('worse')`;
    const seen = await browser.visit(writePage(`<script>${code}</script>`));
    await expect.poll(() => seen.page.title(), NO_LIMIT).toBe('asked');
    expect(requestsElsewhere(seen)).toEqual([`${server.origin}/other?a`]);
    expect(server.hits).toEqual([`GET localhost:${server.port}/other?a`]);
    const complaints = expect.arrayContaining(['bad', 'Error: worse']);
    await expect.poll(() => seen.errors, NO_LIMIT).toEqual(complaints);
  });

  it('gives each visit a clean profile, unless told which', async () => {
    const page = `<script>document.title = localStorage.seen ?? 'first'; localStorage.seen = 'again'</script>`;
    const { origin } = await serve({ '/': page });
    const profile = await browser.newProfile();
    const titles: string[] = [];
    for (const own of [undefined, undefined, profile, profile]) {
      titles.push(await (await browser.visit(origin, own)).page.title());
    }
    expect(titles).toEqual(['first', 'first', 'first', 'again']);
  });
});
