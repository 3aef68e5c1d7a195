/** What others may send to the runtime, and what must not leave it. Each defence with what happens without an attack. */
import { describeUnless } from '@woof/testkit/unless';
import type { Frame, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser } from './browser.ts';
import { GRANTED, locate, makeBook, NO_LIMIT, useBooks } from './runtime-page.ts';

const FORGED = { type: 'wb:welcome', version: 1, can: { persist: true }, env: { FORGED: 'yes' } };

const WAYS = {
  'wb.persist.set': `await wb.persist.set('a', value)`,
  'a key of wb.persist.set': `await wb.persist.set(value, 1)`,
  'wb.state.snapshot': `wb.state('a', value).set(value); wb.state.snapshot()`,
  'wb.share.link': `wb.state('a', value).set(value); await wb.share.link()`,
  'wb.share.copy': `wb.state('a', value).set(value); await wb.share.copy()`,
  'wb.share.save': `wb.state('a', value).set(value); await wb.share.save()`,
};

/** Calls of the test host; see `makeHost`. */
const ANSWER = 'answer()';
const secondWelcome = `welcome(${JSON.stringify(FORGED)})`;

describeUnless(noBrowser)('the runtime and hostile neighbours', () => {
  const books = useBooks();

  /** In a host that does not answer yet. */
  async function openWaiting(book = makeBook()) {
    const { origin } = await books.serveBook(book, GRANTED, true);
    return locate(await books.visit(`${origin}/host`, await books.patientProfile()), 'host');
  }

  const namesIn = (book: Frame) => book.evaluate(() => wb.ready.then(() => wb.env.names()));

  describe('a welcome', () => {
    it('is awaited; until then nothing is known', async () => {
      const { book, page } = await openWaiting();
      const early = await book.evaluate(() => {
        try {
          return wb.env.get('REGION');
        } catch (error) {
          return [(error as { code?: string }).code, wb.can.persist.ok];
        }
      });
      expect(early).toEqual(['not-ready', false]);
      await page.evaluate(ANSWER);
      expect(await namesIn(book)).toEqual(['REGION', 'API_KEY']);
    });

    it('from any window but the parent changes nothing', async () => {
      const { book, page } = await openWaiting();
      await book.evaluate(() => {
        const heard: unknown[] = [];
        Object.assign(globalThis, { heard });
        addEventListener('message', ({ data }) => heard.push(data?.env));
      });
      const post = (target: string) =>
        `${target}.postMessage(${JSON.stringify(FORGED)}, '*', [new MessageChannel().port1])`;
      const addFrame = (code: string) => {
        const frame = document.createElement('iframe');
        frame.srcdoc = `<script>${code}</script>`;
        document.body.append(frame);
      };
      await book.evaluate(addFrame, post('parent'));
      await page.evaluate(addFrame, post('parent.frames[0]'));
      await book.evaluate(post('window'));
      // All three arrived.
      const { env } = FORGED;
      await expect.poll(() => book.evaluate('heard'), NO_LIMIT).toEqual([env, env, env]);
      expect(await book.evaluate(() => wb.can.persist.ok)).toBe(false);
      await page.evaluate(ANSWER);
      expect(await namesIn(book)).toEqual(['REGION', 'API_KEY']);
    });

    it('that is damaged is rejected, even from the host', async () => {
      const { book, page } = await openWaiting();
      const damaged = [{ ...FORGED, version: 2 }, { type: 'wb:welcome', version: 1 }, null, 'wb:welcome'];
      for (const message of damaged) await page.evaluate(`welcome(${JSON.stringify(message)})`);
      await page.evaluate(ANSWER);
      expect(await namesIn(book)).toEqual(['REGION', 'API_KEY']);
    });

    it('that comes too late is rejected: values that were never read would be overwritten', async () => {
      const { book, page } = await openWaiting();
      await page.clock.runFor(20_000);
      expect(await book.evaluate(() => wb.ready.then(({ setting }) => setting))).toBe('page');
      await book.evaluate(() =>
        addEventListener('message', () => Object.assign(globalThis, { heard: true })),
      );
      await page.evaluate(ANSWER);
      await expect.poll(() => book.evaluate('globalThis.heard'), NO_LIMIT).toBe(true);
      expect([await namesIn(book), await book.evaluate(() => wb.can.setting)]).toEqual([[], 'page']);
    });

    it('counts once: a second one changes neither values nor the port', async () => {
      const { book, page } = await openWaiting();
      await page.evaluate(ANSWER);
      await namesIn(book);
      await book.evaluate(() =>
        addEventListener('message', () => Object.assign(globalThis, { heard: true })),
      );
      await page.evaluate(
        `globalThis.second = ${secondWelcome}; second.onmessage = () => { globalThis.robbed = true }`,
      );
      await expect.poll(() => book.evaluate('globalThis.heard'), NO_LIMIT).toBe(true);
      expect(await namesIn(book)).toEqual(['REGION', 'API_KEY']);
      expect(await book.evaluate(() => wb.persist.set('a', 1))).toBe(true);
      expect(await page.evaluate('[log.calls, globalThis.robbed]')).toEqual([['persist.set'], undefined]);
    });
  });

  it('ignores replies that nobody waits for, and damaged ones', async () => {
    const { book, page } = await openWaiting();
    await page.evaluate(ANSWER);
    await namesIn(book);
    const replies = [
      { id: 999, ok: true, value: 'x' },
      { id: '__proto__', ok: true },
      { ok: false },
      null,
      'text',
    ];
    await page.evaluate(`for (const reply of ${JSON.stringify(replies)}) port.postMessage(reply)`);
    const kept = await book.evaluate(async () => [await wb.persist.set('a', 1), await wb.persist.get('a')]);
    expect(kept).toEqual([true, 1]);
  });

  it('keeps nothing if the host granted nothing, and says what the host says', async () => {
    const can = { persist: 'The person said no.' };
    const { book, page } = await books.open('host', makeBook(), { can });
    expect(await book.evaluate(() => wb.persist.set('a', 1))).toBe(false);
    expect(await book.evaluate(() => wb.can.persist)).toEqual({ ok: false, why: 'The person said no.' });
    expect(await page.evaluate('log.calls')).toEqual([]);
    const liar = await books.open('host', makeBook(), { can: { clipboard: true } });
    const refused = await liar.book.evaluate(() =>
      wb.clipboard.read().catch(({ code, message }) => [code, message]),
    );
    expect(refused).toEqual(['denied', 'clipboard.read was not granted.']);
  });

  describe('secrets of the host', () => {
    it('are not sent in any way that other values are', async () => {
      const { book, page } = await books.open('host');
      const attempt = (way: string, value: string) =>
        book.evaluate(`wb.ready.then(async () => {
          const key = wb.env.get('API_KEY'), value = ${value};
          try { ${way}; return 'written' } catch ({ code }) { return code }
        })`);
      for (const [name, way] of Object.entries(WAYS)) {
        expect([name, await attempt(way, '"Bearer " + key')]).toEqual([name, 'secret']);
        expect(await page.evaluate('JSON.stringify([localStorage, log])')).not.toContain(
          GRANTED.env!.API_KEY,
        );
        expect([name, await attempt(way, 'wb.env.get("REGION")')]).toEqual([name, 'written']);
      }
    });

    it('are found anywhere in a value', async () => {
      const { book } = await books.open('host');
      const places = [
        '({ a: [key] })',
        'new Map([[key, 1]])',
        '({ [key]: 1 })',
        'new TextEncoder().encode("x" + key)',
      ];
      for (const value of places) {
        const code = `wb.ready.then(() => {
          const key = wb.env.get('API_KEY');
          return wb.persist.set('a', ${value}).then(() => 'written', ({ message }) => message);
        })`;
        expect([value, await book.evaluate(code)]).toEqual([
          value,
          expect.stringMatching(/^a.* contains the secret API_KEY/),
        ]);
      }
    });

    it('are not in copies, nor is anything else that the host put into the page', async () => {
      const head = '<script data-wb-host>WB_HOST = "k-0123456789"</script><script>WB_OWN = 1</script>';
      const { book } = await books.open('host', makeBook({ head }));
      const copy = await book.evaluate(() => wb.share.copy());
      expect([copy.includes('WB_OWN'), copy.includes('WB_HOST')]).toEqual([true, false]);
    });
  });

  describe('a link of somebody else', () => {
    const state = `
      globalThis.plain = wb.state('plain', 1);
      globalThis.list = wb.state('list', [], { check: (value) => Array.isArray(value) && value.every(Number.isFinite) });
      globalThis.bag = wb.state('bag', {});`;

    /** One page per link: an address that differs only in its fragment would not be loaded again. */
    async function openLinks(...texts: string[]) {
      const { origin } = await books.serveBook(makeBook({ code: state }));
      const profile = await books.profile();
      const open = (text: string) =>
        books.visit(`${origin}/book.html#wb=${Buffer.from(text).toString('base64url')}`, profile);
      return Promise.all(texts.map(async (text) => (await open(text)).page));
    }

    const values = (page: Page) => page.evaluate('[plain.get(), list.get(), bag.get()]');
    const map = (...pairs: [string, unknown][]) => JSON.stringify({ $: 'Map', v: pairs });

    it('sets only values that a state accepts', async () => {
      const [good, bad] = await openLinks(
        map(['plain', 2], ['list', [3]], ['bag', { a: 1 }]),
        map(['plain', { valueOf: 1 }], ['list', ['3']], ['bag', 'text'], ['unknown', 1]),
      );
      expect(await values(good!)).toEqual([2, [3], { a: 1 }]);
      expect(await values(bad!)).toEqual([1, [], {}]);
    });

    it('reaches no prototype, by names or by keys', async () => {
      const text = `{"$":"Map","v":[["__proto__",{"bad":1}],["constructor",{"bad":1}],
        ["bag",{"__proto__":{"bad":1},"good":1}]]}`;
      const [page] = await openLinks(text);
      const names = `wb.state('__proto__', {}).get(), wb.state('constructor', {}).get()`;
      const found = await page!.evaluate(
        `[${names}, bag.get().good, 'bad' in bag.get(), 'bad' in {}, 'bad' in Object]`,
      );
      expect(found).toEqual([{ bad: 1 }, { bad: 1 }, 1, false, false, false]);
    });

    it('that is damaged is ignored, with a message', async () => {
      for (const page of await openLinks('{', '[]', '{"$":"Map","v":7}', '\u0000')) {
        expect(await values(page)).toEqual([1, [], {}]);
        expect(await page.locator('wb-hint').evaluate((hint) => hint.shadowRoot!.textContent)).toContain(
          'damaged',
        );
      }
    });

    it('that comes while the page is open is taken too', async () => {
      const [page] = await openLinks(map(['plain', 2]));
      const fragment = Buffer.from(map(['plain', 5])).toString('base64url');
      await page!.evaluate((hash) => location.assign(hash), `#wb=${fragment}`);
      await expect.poll(() => page!.evaluate('plain.get()'), NO_LIMIT).toBe(5);
    });
  });

  it('refuses what is too large with a clear error, and continues', async () => {
    const { book } = await books.open('page');
    const errors = await book.evaluate(async () => {
      const told = ({ code, message }: { code: string; message: string }) => `${code}: ${message}`;
      const state = wb.state('big', 'x'.repeat(40_000));
      const link = await wb.share.link().catch(told);
      const kept = await wb.persist.set('big', 'x'.repeat(34e6)).catch(told);
      state.set('x'.repeat(34e6));
      const copy = await wb.share.copy().catch(told);
      state.set('small');
      return [link, kept, copy, (await wb.share.link()).length < 1000, await wb.persist.set('big', 1)];
    });
    expect(errors).toEqual([
      expect.stringMatching(/^too-large: .*53 KB in a link; the limit is 32 KB.*wb\.share\.save/),
      expect.stringMatching(/^too-large: "big" takes more than the limit of 32 MB/),
      expect.stringMatching(/^too-large: "state" takes more than the limit of 32 MB.*state\.big/),
      true,
      true,
    ]);
  });
});
