import { MemoryStore } from '@woof/stores';
import { beforeEach, expect, it } from 'vitest';
import { Catalogue } from './catalogue.ts';
import type { Compile } from './parts.ts';
import { RecentTexts } from './recent-texts.ts';

/** The text is also the name of its plan. */
const compile: Compile = (text) =>
  ({ plan: { name: text, path: 'shop' }, kind: 'playbook', diagnostics: [] }) as never;

let store: MemoryStore;
let here: Catalogue;
let elsewhere: Catalogue;
beforeEach(() => {
  store = new MemoryStore();
  here = new Catalogue(store.records, compile, () => 1);
  elsewhere = new Catalogue(store.records, compile, () => 2);
});

it('returns the newest version, and any listed version', async () => {
  const { version } = await here.register('one', {});
  await here.register('two', {});
  expect(await here.get('shop')).toMatchObject({ text: 'two', versions: 2 });
  expect(await here.get('shop', version)).toMatchObject({ text: 'one' });
  await expect(here.get('shop', 'none')).rejects.toThrow('has no version none');
});

it('sees what another server registers or removes, even if a version is cached', async () => {
  const { version } = await here.register('one', { file: 'a.yaml' });
  expect(await here.get('shop')).toMatchObject({ text: 'one', file: 'a.yaml' });
  await elsewhere.register('one', { file: 'b.yaml' });
  expect(await here.get('shop')).toMatchObject({ text: 'one', file: 'b.yaml' });
  await elsewhere.remove('shop');
  await expect(here.get('shop')).rejects.toThrow('no document is registered');
  await elsewhere.register('two', {});
  await expect(here.get('shop', version)).rejects.toThrow(`has no version ${version}`);
});

it('reads the text of a version once', async () => {
  await here.register('one', {});
  await here.get('shop');
  await store.records.remove('document-versions', `shop@${(await here.get('shop')).version}`);
  expect(await here.get('shop')).toMatchObject({ text: 'one' });
});

it('drops the oldest texts beyond its size, and never the newest', () => {
  const texts = new RecentTexts<string>(10, (_, text) => text.length);
  for (const text of ['aaaa', 'bbbb', 'cccc']) texts.set(text, text);
  expect(['aaaa', 'bbbb', 'cccc'].map((key) => texts.get(key))).toEqual([undefined, 'bbbb', 'cccc']);
  texts.set('long', 'd'.repeat(100));
  expect(['cccc', 'long'].map((key) => texts.get(key)?.length)).toEqual([undefined, 100]);
});
