/** Lists in ctx that `set_ctx` makes longer, as decisions write them and as the fold reads them. */
import {
  decodeStored,
  encodeJson,
  encodeStored,
  foldableShared,
  grownLists,
  isReference,
  type Json,
  type JsonObject,
  makeFloat,
  offloadMaps,
  patchShared,
  type Reference,
  settled,
} from '@woof/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Values, type ValuesOptions } from './values.ts';

/** A ctx whose values are stored in memory, as engine and workers write it. */
class StoredCtx {
  written = 0;
  longest = 0;
  logged = 0;
  ctx: JsonObject = {};
  values: Values;
  private readonly texts = new Map<string, string>();

  constructor(private readonly options: ValuesOptions = {}) {
    this.values = this.newValues();
  }

  /** Another process continues: nothing is in memory. */
  async forget(): Promise<void> {
    await this.values.save();
    this.values = this.newValues();
    this.ctx = decodeStored(encodeStored(this.ctx)) as JsonObject;
  }

  get list(): Json[] {
    const { list } = this.ctx;
    return settled(list ?? [], this.values.resolve) as Json[];
  }

  /** What `set_ctx: {list: …}` writes. */
  set(list: Json[]): void {
    const access = this.values.access;
    const grown = grownLists({ list }, this.ctx, { ...access, host: this.values.host(() => 0) });
    const [patch] = offloadMaps([grown], access);
    this.logged += encodeJson(patch!).length;
    this.ctx = { ...this.ctx, ...patch };
  }

  /** What `set_shared: {list: {append: item}}` writes. */
  append(item: Json): void {
    const access = { ...this.values.access, host: this.values.host(() => 0) };
    const shared = foldableShared({ list: { append: item } }, this.ctx, access);
    const [change] = offloadMaps([shared.list as JsonObject], access);
    this.ctx = { ...this.ctx, ...patchShared(this.ctx, { list: change! }) };
  }

  private newValues(): Values {
    const { texts } = this;
    const blobs = {
      putBytes: async (bytes: Buffer, { key }: Reference) => {
        this.written += bytes.length;
        this.longest = Math.max(this.longest, bytes.length);
        texts.set(key, bytes.toString());
      },
      getText: ({ key }: Reference) => texts.get(key)!,
    };
    return new Values(blobs as never, this.options);
  }
}

async function grown(items: readonly Json[], each = 1): Promise<StoredCtx> {
  const stored = new StoredCtx();
  for (let from = 0; from < items.length; from += each) {
    stored.set([...stored.list, ...items.slice(from, from + each)]);
    await stored.values.save();
  }
  return stored;
}

const small = (count: number): Json[] =>
  Array.from({ length: count }, (_, id) => ({ id, price: makeFloat(1), deep: [{ text: 'x'.repeat(40) }] }));
const large = (count: number): Json[] =>
  Array.from({ length: count }, (_, id) => `${id}`.padEnd(60_000, 'x'));

describe('a stored list that set_ctx makes longer', () => {
  it.each([
    ['small items', small(2000), 1],
    ['large items', large(300), 1],
    ['pages of items', small(20_000), 50],
  ])('keeps every item, in order, and is written about three times: %s', async (_what, items, each) => {
    const stored = await grown(items, each);
    const text = encodeJson(items);
    expect(isReference(stored.ctx.list)).toBe(true);
    expect(encodeJson(stored.list)).toBe(text);
    expect(stored.values.lengthOf(stored.ctx.list as Reference) ?? items.length).toBe(items.length);
    // Until a list is over 64 KiB, events contain it.
    expect(stored.written).toBeLessThan(3.2 * text.length);
    expect(stored.longest).toBeLessThan(9_000_000);
    expect(encodeJson(stored.ctx.list!).length).toBeLessThan(40_000);
  });

  it('grows linearly in what is stored and logged', async () => {
    const [once, twice] = [await grown(small(8000), 8), await grown(small(16_000), 8)];
    const added = (stored: StoredCtx) => stored.written + stored.logged;
    expect(added(twice)).toBeLessThan(2.5 * added(once));
  });

  it('is the same list if nothing is added', async () => {
    const stored = await grown(small(3000), 100);
    const { list } = stored.ctx;
    const { written } = stored;
    stored.set([...stored.list]);
    await stored.values.save();
    expect(stored.ctx.list).toEqual(list);
    expect(stored.written).toBe(written);
  });

  it.each<[string, (list: Json[]) => Json[]]>([
    ['a changed item', ([, ...others]) => [{ id: 'other' }, ...others, 1]],
    ['an item of another number type', (list) => [...list.slice(0, 2000), 1, ...list.slice(2001)]],
    ['a removed item', (list) => [...list.slice(0, 5), ...list.slice(6)]],
    ['another order', (list) => [...list.slice(1), list[0]!, 7]],
    ['an equal copy', (list) => [...structuredClone(list.slice(0, 1)), ...list.slice(1), 8]],
    ['nothing', () => []],
  ])('is written as a whole with %s', async (_what, change) => {
    const stored = await grown(small(3000), 100);
    const expected = encodeJson(change(stored.list));
    stored.set(change(stored.list));
    expect((stored.ctx.list as Partial<Reference>).more).toBeUndefined();
    expect(encodeJson(stored.list)).toBe(expected);
  });

  it('is not loaded for a value that replaces it', async () => {
    const stored = await grown(small(3000), 100);
    await stored.forget();
    stored.values.resolve = () => expect.unreachable();
    stored.set(small(4000));
    expect(stored.values.hasMissing).toBe(false);
    expect((stored.ctx.list as Reference).more).toBeUndefined();
  });

  it('is written as a whole when it becomes larger than what can be loaded', async () => {
    const stored = new StoredCtx({ valueBytes: 600_000 });
    const grow = () => stored.set([...stored.list, ...large(1)]);
    for (let count = 0; count < 9; count++) grow();
    expect((stored.ctx.list as Reference).more).toBeDefined();
    grow();
    expect(stored.ctx.list).toMatchObject({ size: 600_031 });
    expect((stored.ctx.list as Reference).more).toBeUndefined();
    expect(grow).toThrow(/limit is 600000/);
  });
});

const item: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(0, 1, -1, null, true, makeFloat(1), makeFloat(-0), 12345678901234567890n, 'a', []),
  fc.record({ id: fc.nat(3), deep: fc.constantFrom<Json>([1, [makeFloat(2)]], { a: { b: 1 } }) }),
  fc.constantFrom(40, 3000, 9000, 70_000).map((length) => 'x'.repeat(length)),
);

type Step = { do: 'grow' | 'replace'; items: Json[] } | { do: 'append'; item: Json } | { do: Other };
type Other = 'forget' | 'save' | 'drop first' | 'reverse' | 'double' | 'same';

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('grow' as const), items: fc.array(item) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('append' as const), item }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('replace' as const), items: fc.array(item) }) },
  fc.record({ do: fc.constantFrom<Other>('forget', 'save', 'drop first', 'reverse', 'double', 'same') }),
);

const OTHERS: Partial<Record<Other, (list: Json[]) => Json[]>> = {
  'drop first': (list) => list.slice(1),
  reverse: (list) => [...list].reverse(),
  double: (list) => (list.length > 1000 ? list : [...list, ...list]),
  same: (list) => [...list],
};

/** The same step on a list of JavaScript. */
function plain(list: Json[], step: Step): Json[] {
  if (step.do === 'grow') return [...list, ...step.items];
  if (step.do === 'append') return [...list, step.item];
  if (step.do === 'replace') return step.items;
  return OTHERS[step.do]?.(list) ?? list;
}

async function take(stored: StoredCtx, step: Step): Promise<void> {
  if (step.do === 'forget') await stored.forget();
  else if (step.do === 'save') await stored.values.save();
  else if (step.do === 'append') stored.append(step.item);
  else stored.set(plain(stored.list, step));
}

describe('set_ctx and set_shared on one list', () => {
  it.each([0, 1024, 64 * 1024])(
    'mean what they mean on a plain list, with %i bytes inline',
    (inlineMaxBytes) =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
          const stored = new StoredCtx({ inlineMaxBytes });
          let list: Json[] = [];
          for (const step of steps) {
            await take(stored, step);
            list = plain(list, step);
            expect(encodeJson(stored.list)).toBe(encodeJson(list));
          }
        }),
        { numRuns: 60 },
      ),
  );
});
