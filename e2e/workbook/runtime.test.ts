/** The runtime in a browser, in its three settings: the same calls, and what each of them can do there. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describeUnless } from '@woof/testkit/unless';
import { describe, expect, it } from 'vitest';
import { noBrowser, requestsElsewhere, writePage } from './browser.ts';
import { ALL, GRANTED, makeBook, NO_LIMIT, runtimeFile, SETTINGS, useBooks } from './runtime-page.ts';

/** Sets a state to values that JSON would lose, and says in the title what it finds. */
const TRICKY = `
  const state = wb.state('tricky', undefined);
  wb.state('secretive', 'hidden', { private: true });
  globalThis.fill = () => {
    state.set({
      date: new Date(1e12), map: new Map([[1n, new Set(['</script><!--'])]]),
      bytes: new Uint8Array([0, 127, 255]), text: '</script><script>document.title = "broken"</script>',
    });
    wb.state('secretive').set('changed');
  };
  globalThis.told = () => {
    const { date, map, bytes, text } = state.get() ?? {};
    if (!date) return 'nothing';
    return [date instanceof Date && date.getTime(), [...map.get(1n)], [...bytes], text, wb.state('secretive').get()];
  };`;
const TOLD = [
  1e12,
  ['</script><!--'],
  [0, 127, 255],
  '</script><script>document.title = "broken"</script>',
  'hidden',
];

declare const fill: () => void;
declare const told: () => unknown;

describeUnless(noBrowser)('the runtime of workbooks', () => {
  const books = useBooks();

  it('takes less than 10 KB of a workbook, and knows its version', () => {
    const sizes = ['wb.js', 'wb.global.js'].map((name) => gzipSync(readFileSync(runtimeFile(name))).length);
    expect(Math.max(...sizes)).toBeLessThan(10_000);
    const { version } = JSON.parse(
      readFileSync(new URL('../../packages/workbook-runtime/package.json', import.meta.url), 'utf8'),
    );
    expect(readFileSync(runtimeFile('wb.js'), 'utf8')).toContain(version);
  });

  it.each([
    [
      'file',
      {
        persist: 'Opened from a file',
        env: 'No host',
        clipboard: true,
        link: 'Opened from a file',
        save: true,
      },
    ],
    ['page', { persist: true, env: 'No host', clipboard: true, link: true, save: true }],
    ['host', { persist: true, env: true, clipboard: 'Not granted by the person', link: true, save: true }],
  ] as const)('says what it can do in the setting %s', async (setting, expected) => {
    const { book, visit } = await books.open(setting);
    const { setting: found, ...can } = await book.evaluate(() => wb.ready);
    expect(found).toBe(setting);
    for (const [what, ability] of Object.entries(can)) {
      const wanted = expected[what as keyof typeof can];
      expect([what, ability.ok ? true : ability.why]).toEqual([
        what,
        wanted === true ? true : expect.stringContaining(wanted),
      ]);
    }
    expect(await book.evaluate(() => wb.can.setting)).toBe(setting);
    expect(visit.errors).toEqual([]);
  });

  describe.each(['page', 'host'] as const)('in the setting %s', (setting) => {
    it('keeps Date, Map, BigInt and bytes until the workbook is opened again', async () => {
      const { book, reopen } = await books.open(setting);
      const kept = await book.evaluate(async () => {
        const value = {
          at: new Date(5),
          big: 2n ** 70n,
          map: new Map([['a', new Set([1])]]),
          bytes: new Uint8Array([7]),
        };
        return [
          await wb.persist.set('value', value),
          await wb.persist.set('other', 1),
          await wb.persist.delete('other'),
        ];
      });
      expect(kept).toEqual([true, true, undefined]);
      const again = await reopen();
      const found = await again.book.evaluate(async () => {
        const value = await wb.persist.get<{
          at: Date;
          big: bigint;
          map: Map<string, Set<number>>;
          bytes: Uint8Array;
        }>('value');
        const { at, big, map, bytes } = value!;
        return [at.getTime(), big === 2n ** 70n, map.get('a')?.has(1), [...bytes], await wb.persist.keys()];
      });
      expect(found).toEqual([5, true, true, [7], ['value']]);
    });

    it('binds states: changes are restored, if the state accepts them', async () => {
      const code = `
        globalThis.count = wb.state('count', 0);
        globalThis.bound = wb.persist.bind(count, wb.state('text', 'a'));`;
      const { book, reopen } = await books.open(setting, makeBook({ code }));
      await book.evaluate(`bound.then(async () => {
        for (let i = 0; i < 50; i++) count.set(i);
        await wb.persist.flush();
        await wb.persist.set('text', { not: 'a text' });
      })`);
      const again = await reopen();
      expect(await again.book.evaluate(`bound.then(() => [count.get(), wb.state('text').get()])`)).toEqual([
        49,
        'a',
      ]);
    });

    it('gives a link that opens with the state, in a clean profile', async () => {
      const { book, address } = await books.open(setting, makeBook({ code: TRICKY }));
      const link = await book.evaluate(() => {
        fill();
        return wb.share.link();
      });
      expect(link.startsWith(`${address}#wb=`)).toBe(true);
      const seen = await books.visit(link);
      const frame = setting === 'host' ? seen.page.frames()[1]! : seen.page.mainFrame();
      await expect.poll(() => frame.evaluate('globalThis.told?.()'), NO_LIMIT).toEqual(TOLD);
    });
  });

  describe.each(SETTINGS)('in the setting %s', (setting) => {
    it('gives a copy that opens with the state from a file, asks for nothing, and can be copied again', async () => {
      const { book } = await books.open(
        setting,
        makeBook({ code: TRICKY, strict: true, body: '<div id="app"></div>' }),
      );
      const copy = await book.evaluate(async () => {
        fill();
        document.querySelector('#app')!.append('drawn by code');
        return wb.share.copy();
      });
      expect(copy).not.toContain('drawn by code');
      const seen = await books.visit(writePage(copy));
      expect(await seen.page.evaluate(() => told())).toEqual(TOLD);
      expect(await seen.page.title()).toBe('Book');
      expect([requestsElsewhere(seen), seen.errors]).toEqual([[], []]);
      const second = await books.visit(writePage(await seen.page.evaluate(() => wb.share.copy())));
      expect(await second.page.evaluate(() => told())).toEqual(TOLD);
      expect(await second.page.evaluate(() => document.querySelectorAll('#wb-state').length)).toBe(1);
    });
  });

  it('is one runtime, however often it is loaded', async () => {
    const { book } = await books.open('file');
    const again = readFileSync(runtimeFile('wb.global.js'), 'utf8');
    expect(await book.evaluate(`const first = wb; ${again}; first === wb`)).toBe(true);
  });

  it('keeps nothing from a file, and says so visibly', async () => {
    const { book, page, reopen } = await books.open('file', makeBook({ strict: true }));
    const answers = () =>
      book.evaluate(async () => [await wb.persist.set('a', 1), await wb.persist.get('a')]);
    expect(await answers()).toEqual([false, undefined]);
    const hint = page.locator('wb-hint');
    await hint.waitFor(NO_LIMIT);
    expect(await hint.evaluate((element) => element.shadowRoot!.textContent)).toContain(
      'Changes are not kept here',
    );
    // It takes up its own space: it covers nothing of the page.
    const isBelow = `(() => {
      const { bottom } = document.querySelector('wb-hint').getBoundingClientRect();
      const others = [...document.body.children].filter((each) => each.localName !== 'wb-hint' && each.checkVisibility());
      return others.every((each) => each.getBoundingClientRect().top >= bottom);
    })()`;
    expect(await page.evaluate(isBelow)).toBe(true);
    const [download] = await Promise.all([
      page.waitForEvent('download', NO_LIMIT),
      page.getByRole('button', { name: 'Save a copy' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toContain('application/x-workbook-state');
    await page.getByRole('button', { name: 'Close' }).click();
    await answers();
    expect(await hint.count()).toBe(0);
    const again = await reopen();
    expect(await again.book.evaluate(() => wb.persist.keys())).toEqual([]);
  });

  it('has no link from a file, and says what to do', async () => {
    const { book } = await books.open('file');
    const error = await book.evaluate(() => wb.share.link().catch(({ code, message }) => [code, message]));
    expect(error).toEqual(['unavailable', expect.stringContaining('wb.share.save()')]);
  });

  it('keeps the values of workbooks on one site apart', async () => {
    const named = (id: string) => makeBook({ head: `<meta name="wb-id" content="${id}">` });
    const pages = { '/a': makeBook(), '/b': makeBook(), '/c': named('same'), '/d': named('same') };
    const server = await books.serve(pages);
    const profile = await books.profile();
    const keysOf = async (path: string, key: string) => {
      const { page } = await books.visit(server.origin + path, profile);
      return page.evaluate(async (key) => {
        const before = await wb.persist.keys();
        await wb.persist.set(key, 1);
        return before;
      }, key);
    };
    expect([await keysOf('/a', 'a'), await keysOf('/b', 'b'), await keysOf('/a', 'a')]).toEqual([
      [],
      [],
      ['a'],
    ]);
    expect([await keysOf('/c', 'c'), await keysOf('/d', 'd')]).toEqual([[], ['c']]);
  });

  it('keeps only what the workbook declares, if the browser has a place for it', async () => {
    const book = makeBook();
    const server = await books.serve({
      '/undeclared': makeBook({ permissions: [] }),
      '/sandboxed': { body: book, headers: { 'content-security-policy': 'sandbox allow-scripts' } },
      '/plain': book,
    });
    const tryAt = async (path: string) => {
      const { page } = await books.visit(server.origin + path);
      return page.evaluate(async () => [await wb.persist.set('a', 1), wb.can.persist]);
    };
    expect(await tryAt('/plain')).toEqual([true, { ok: true, how: expect.any(String) }]);
    expect(await tryAt('/undeclared')).toEqual([
      false,
      { ok: false, why: expect.stringContaining('"storage"') },
    ]);
    expect(await tryAt('/sandboxed')).toEqual([
      false,
      { ok: false, why: expect.stringContaining('sandboxed') },
    ]);
  });

  it('a link takes precedence over kept values, and kept values over those in the file', async () => {
    const code = `globalThis.count = wb.state('count', 0); globalThis.bound = wb.persist.bind(count)`;
    const { book, address, reopen } = await books.open('page', makeBook({ code }));
    const link = await book.evaluate('bound.then(() => { count.set(1); return wb.share.link() })');
    const copy = (await book.evaluate('wb.persist.flush().then(() => wb.share.copy())')) as string;
    await book.evaluate('count.set(2); wb.persist.flush()');
    const valueAt = async (url: string) => (await reopen(url)).book.evaluate('bound.then(() => count.get())');
    expect([await valueAt(address), await valueAt(link as string)]).toEqual([2, 1]);
    // Opening a link changes no kept value.
    expect(await valueAt(address)).toBe(2);
    const { book: copied, reopen: reopenCopy } = await books.open('page', copy);
    expect(await copied.evaluate('bound.then(() => count.get())')).toBe(1);
    await copied.evaluate('count.set(3); wb.persist.flush()');
    expect(await (await reopenCopy()).book.evaluate('bound.then(() => count.get())')).toBe(3);
  });

  it('a link that a state does not accept does not hide kept values', async () => {
    const code = `globalThis.count = wb.state('count', 0); globalThis.bound = wb.persist.bind(count)`;
    const { book, address, reopen } = await books.open('page', makeBook({ code }));
    await book.evaluate('count.set(7); wb.persist.flush()');
    const bad = Buffer.from('{"$":"Map","v":[["count","text"]]}').toString('base64url');
    const { book: linked } = await reopen(`${address}#wb=${bad}`);
    expect(await linked.evaluate('bound.then(() => count.get())')).toBe(7);
  });

  it('does not overwrite a value that it could not read, but does overwrite a damaged one', async () => {
    const code = `
      const real = IDBObjectStore.prototype.get;
      globalThis.restore = () => { IDBObjectStore.prototype.get = real; };
      IDBObjectStore.prototype.get = function (key) {
        if (key === 'unread') throw new Error('the disk is busy');
        return real.call(this, key);
      };
      globalThis.put = (key, text) => new Promise((resolve) => {
        indexedDB.open('wb:' + location.pathname, 1).onsuccess = ({ target: { result } }) => {
          const transaction = result.transaction('values', 'readwrite');
          transaction.objectStore('values').put(text, key);
          transaction.oncomplete = resolve;
        };
      });`;
    const { book, page } = await books.open('page', makeBook({ code }));
    const found = await book.evaluate(`(async () => {
      await wb.persist.set('unread', 1);
      await wb.persist.set('damaged', 1);
      await put('damaged', 'no value');
      const [unread, damaged] = [wb.state('unread', 0), wb.state('damaged', 0)];
      await wb.persist.bind(unread, damaged);
      unread.set(2);
      damaged.set(2);
      await wb.persist.flush();
      restore();
      return [await wb.persist.get('unread'), await wb.persist.get('damaged')];
    })()`);
    expect(found).toEqual([1, 2]);
    await page.locator('wb-hint').waitFor(NO_LIMIT);
  });

  it('forgets a link once something newer was kept', async () => {
    const code = `globalThis.count = wb.state('count', 0); globalThis.bound = wb.persist.bind(count)`;
    const { book, reopen } = await books.open('page', makeBook({ code }));
    const { book: linked, page } = await reopen((await book.evaluate('wb.share.link()')) as string);
    await linked.evaluate('bound.then(() => { count.set(8); return wb.persist.flush() })');
    expect(page.url()).not.toContain('#');
    await page.reload();
    expect(await page.evaluate('bound.then(() => count.get())')).toBe(8);
  });

  it('gives the values of the host, and asks it to save copies and for the clipboard', async () => {
    const { book, page } = await books.open('host');
    const found = await book.evaluate(async () => {
      await wb.ready;
      const { WB_ENV } = globalThis as unknown as { WB_ENV: object };
      return [
        wb.env.names(),
        wb.env.get('REGION'),
        wb.env.get('constructor'),
        WB_ENV,
        Object.isFrozen(WB_ENV),
      ];
    });
    expect(found).toEqual([['REGION', 'API_KEY'], 'north-1', undefined, GRANTED.env, true]);
    await book.evaluate(() => wb.share.save('mine.html'));
    expect(await page.evaluate('log.saved')).toEqual(['mine.html', expect.stringContaining('wb-state')]);
    const refused = await book.evaluate(() =>
      wb.clipboard.read().catch(({ code, message }) => [code, message]),
    );
    expect(refused).toEqual(['unavailable', 'Not granted by the person.']);
  });

  it('reads WB_ENV of a plain page, and treats all of it as secret', async () => {
    const head = '<script>WB_ENV = { TOKEN: "t-0123456789" }</script>';
    const { book } = await books.open('page', makeBook({ head, permissions: ['env'] }));
    const found = await book.evaluate(async () => {
      await wb.ready;
      wb.state('a', wb.env.get('TOKEN'));
      try {
        return wb.state.snapshot();
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(found).toContain('the secret TOKEN');
  });

  it('reads and writes the clipboard of the browser elsewhere', async () => {
    const server = await books.serveBook(makeBook());
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page } = await books.visit(`${server.origin}/book.html`, await books.profile({ permissions }));
    await page.bringToFront();
    expect(await page.evaluate(() => wb.clipboard.write('text').then(() => wb.clipboard.read()))).toBe(
      'text',
    );
  });

  it('treats a frame without a host as a page, if nobody answers', async () => {
    const server = await books.serve({ '/book': makeBook(), '/': '<iframe src="/book"></iframe>' });
    const profile = await books.profile();
    await profile.clock.install();
    const { page } = await books.visit(server.origin, profile);
    const frame = page.frames()[1]!;
    expect(await frame.evaluate(() => wb.can.persist)).toEqual({
      ok: false,
      why: expect.stringContaining('wb.ready'),
    });
    await profile.clock.runFor(20_000);
    expect(await frame.evaluate(async () => (await wb.ready).setting)).toBe('page');
  });

  it('is an ES module too, and reads the version of the source bundle', async () => {
    const server = await books.serve({
      '/wb.js': { body: readFileSync(runtimeFile('wb.js')), type: 'text/javascript' },
      '/': `<script id="wb-source-bundle" type="application/x-workbook-source" data-version="1"></script>
        <script type="module">import { wb } from './wb.js'; document.title = wb.version + ' ' + wb.envelope</script>`,
    });
    const { page } = await books.visit(server.origin);
    expect(await page.title()).toMatch(/^\d+\.\d+\.\d+ 1$/);
  });

  it('reads the version of a source bundle that comes after its script', async () => {
    const script = readFileSync(runtimeFile('wb.global.js'), 'utf8').replaceAll('</script', '<\\/script');
    const bundle = '<script type="application/x-workbook-source" data-version="1"></script>';
    const server = await books.serve({ '/': `<!doctype html><script>${script}</script>${bundle}` });
    const { page } = await books.visit(server.origin);
    expect(await page.evaluate('wb.envelope')).toBe(1);
  });

  it('binds inputs and outputs to states, and leaves other elements alone', async () => {
    const body = `
      <wb-input name="rate" type="number" value="2" label="Rate"></wb-input>
      <wb-input name="kind"><select><option>a<option>b</select></wb-input>
      <wb-input name="on" type="checkbox" label="On"></wb-input>
      <wb-output name="double"></wb-output><wb-output name="nothing"></wb-output><wb-output name="bad"></wb-output>
      <wb-workbook><wb-cell>cell</wb-cell><wb-doc>doc</wb-doc><wb-data>data</wb-data></wb-workbook>`;
    const code = `
      const rate = wb.state('rate', 5);
      wb.state.derived('double', () => rate.get() * 2);
      wb.state.derived('bad', () => { throw new Error('no value') });`;
    const { page, book, visit } = await books.open('file', makeBook({ body, code }));
    const output = page.locator('wb-output[name=double]');
    expect([await page.getByLabel('Rate').inputValue(), await output.textContent()]).toEqual(['5', '10']);
    await page.getByLabel('Rate').fill('7');
    await page.locator('select').selectOption('b');
    await page.getByLabel('On').check();
    expect(await output.textContent()).toBe('14');
    const values = await book.evaluate(() =>
      ['rate', 'kind', 'on'].map((name) => wb.state(name, null).get()),
    );
    expect(values).toEqual([7, 'b', true]);
    await book.evaluate(() => wb.state('rate', 0).set(1));
    expect([await page.getByLabel('Rate').inputValue(), await output.textContent()]).toEqual(['1', '2']);
    expect(await page.locator('wb-output[name=nothing]').textContent()).toBe('');
    expect(await page.locator('wb-output[name=bad]').textContent()).toContain('no value');
    expect(await page.locator('wb-workbook').textContent()).toBe('celldocdata');
    expect(visit.errors).toEqual([]);
  });

  it('creates elements after the code of modules, which may first define a state', async () => {
    const server = await books.serve({
      '/wb.js': { body: readFileSync(runtimeFile('wb.js')), type: 'text/javascript' },
      '/': `<wb-input name="rate" type="number" value="2" label="Rate"></wb-input>
        <script type="module">import { wb } from './wb.js'; wb.state('rate', 5)</script>`,
    });
    const { page } = await books.visit(server.origin);
    expect(await page.getByLabel('Rate').inputValue()).toBe('5');
  });

  it('keeps what is not drawn yet in copies: templates, noscript, doctype', async () => {
    const body = '<template><p>in a template</p></template><noscript><p>no script</p></noscript>';
    const { book } = await books.open('file', makeBook({ body, permissions: ALL }));
    const copy = await book.evaluate(() => wb.share.copy());
    expect(copy.startsWith('<!doctype html>\n<html lang="en">')).toBe(true);
    expect(copy).toContain(body);
  });
});
