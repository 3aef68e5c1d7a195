/** Lists, counts and changes: each equals the result of a plain filter over all rows. */
import type { ExecutionRow, ListFilter, ListQuery, SharedStore } from '@woof/stores';
import { inputsOf, matches } from '@woof/stores';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { events, row, type StoreFixture } from './store-fixture.ts';

interface Run {
  row: ExecutionRow;
  inputs: Record<string, string> | undefined;
  length: number;
}

/** `npm run fuzz` tries more. */
const HISTORIES = Number(process.env.WOOF_LIST_RUNS ?? 10);
const STATUSES = ['running', 'paused', 'needs_human', 'succeeded', 'failed', 'cancelled'] as const;
/** Limits that make a search end early and use the index early. */
const SMALL = { firstLook: 3, chunk: 4, lookedAt: 12, windows: 2, unindexed: 40 };

const names = fc.constantFrom('orders', 'Orders daily', 'x', 'größe', "o'brien", 'a"b', '\0odd\ud800');
const paths = fc.constantFrom('sales/orders', 'sales/Daily', 'p');
const errors = fc.constantFrom('boom', 'Connection REFUSED by orders', 'e'.repeat(1500), 'time\u001aout');
const times = fc.integer({ min: 0, max: 60 });
const values = fc.constantFrom<unknown>('eu', 'us', 1, 1.5, true, null, ['no'], 'v'.repeat(300));
const workloads = fc.dictionary(fc.constantFrom('region', 'n', '__proto__', 'a=b'), values, { maxKeys: 3 });

const beginnings = fc.record(
  { name: names, path: paths, file: names, kind: fc.constantFrom('playbook', 'notebook'), started_at: times },
  { requiredKeys: ['name', 'kind', 'started_at'] },
);
const changes = fc.record(
  { status: fc.constantFrom(...STATUSES), ended_at: times, error: errors, asks: fc.boolean() },
  { requiredKeys: ['status'] },
);
const FILTERS = [
  'status',
  'kind',
  'name',
  'path',
  'parent',
  'roots',
  'q',
  'since',
  'until',
  'ended_since',
  'ended_until',
  'workload',
  'asking',
] as const;
const parts = fc.constantFrom(
  'ord',
  'ORDERS',
  'run-1',
  'n-',
  '-7',
  'o',
  '',
  'refused by',
  'eeee',
  'größe',
  'ö',
  'zzz',
);
const conditions = fc.record(
  {
    status: fc.uniqueArray(fc.constantFrom(...STATUSES), { maxLength: 3 }),
    kind: fc.constantFrom('playbook', 'notebook', 'other'),
    name: names,
    path: paths,
    parent: fc.constantFrom('run-0', 'run-1', 'unknown'),
    roots: fc.boolean(),
    q: parts,
    since: times,
    until: times,
    ended_since: times,
    ended_until: times,
    workload: fc.dictionary(
      fc.constantFrom('region', 'n', '__proto__', 'a=b'),
      fc.constantFrom('eu', '1', '1.5', 'null'),
      {
        maxKeys: 2,
      },
    ),
    asking: fc.boolean(),
  },
  { noNullPrototype: true },
);
/** With many conditions at once hardly a row would be left. */
const filters: fc.Arbitrary<ListFilter> = fc
  .tuple(conditions, fc.shuffledSubarray([...FILTERS], { maxLength: 2 }))
  .map(([all, keys]) => Object.fromEntries(keys.map((key) => [key, all[key]])));
const queries: fc.Arbitrary<ListQuery> = fc
  .tuple(filters, fc.constantFrom('newest' as const, 'oldest' as const), fc.integer({ min: 1, max: 9 }))
  .map(([filter, order, limit]) => ({ ...filter, order, limit }));

type Deed =
  | { begin: { row: Partial<ExecutionRow>; workload: Record<string, unknown>; isNested: boolean }[] }
  | { change: Partial<ExecutionRow>; which: number }
  | { index: true };

const deeds: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    begin: fc.array(fc.record({ row: beginnings, workload: workloads, isNested: fc.boolean() }), {
      minLength: 1,
      maxLength: 20,
    }),
  }),
  fc.record({ change: changes, which: fc.nat() }),
  fc.constant({ index: true as const }),
);

export function exerciseLists(current: () => StoreFixture): void {
  describe('lists', () => {
    let store: SharedStore;
    let runs: Run[];

    beforeEach(() => {
      store = current().store;
      runs = [];
    });

    const perform = async (deed: Deed) => {
      if ('index' in deed) await store.indexLists(1);
      else if ('begin' in deed) await beginAll(deed.begin);
      else if (runs.length > 0) await change(runs[deed.which % runs.length]!, deed.change);
    };

    const beginAll = async (begun: Extract<Deed, { begin: unknown }>['begin']) => {
      const made = begun.map(({ row: fields, workload, isNested }, index) => {
        const id = `run-${runs.length + index}`;
        const parent = isNested && runs.length > 0 ? { parent: `run-${index % 2}` } : {};
        return { row: row(id, { ...fields, ...parent }), inputs: inputsOf(workload as never), length: 1 };
      });
      const frame = { expected: 0, events: events('workflow.started') };
      const refused = await store.append(
        made.map(({ row: first, inputs }) => ({
          ...frame,
          execution_id: first.execution_id,
          row: first,
          ...(inputs ? { inputs } : {}),
        })),
      );
      expect(refused).toEqual([]);
      runs.push(...made);
    };

    const change = async (run: Run, fields: Partial<ExecutionRow>) => {
      const frame = { expected: run.length, events: events('workflow.finished'), row: fields };
      expect(await store.append([{ execution_id: run.row.execution_id, ...frame }])).toEqual([]);
      Object.assign(run, { length: run.length + 1, row: { ...run.row, ...fields } });
    };

    const plain = ({ order, limit: _, ...filter }: ListQuery) => {
      const found = runs.filter((run) => matches(run, filter)).map((run) => run.row);
      return order === 'oldest' ? found : found.reverse();
    };

    const listAll = async (query: ListQuery, bounds?: typeof SMALL) => {
      const found: ExecutionRow[] = [];
      for (let before: string | undefined; ; ) {
        const page = await store.list({ ...query, ...(before === undefined ? {} : { before }) }, bounds);
        expect(page.executions.length).toBeLessThanOrEqual(query.limit ?? 100);
        found.push(...page.executions);
        if (page.next === undefined) return found;
        expect(page.next).not.toBe(before);
        before = page.next;
      }
    };

    it('equals a plain filter over all rows, in both orders, page by page', async () => {
      const both = fc.tuple(fc.array(fc.tuple(deeds, queries), { maxLength: 12 }), queries);
      await fc.assert(
        fc.asyncProperty(both, async ([history, last]) => {
          for (const [deed, query] of [...history, [{ index: true }, last] as const]) {
            await perform(deed);
            expect(await listAll(query, SMALL)).toEqual(plain(query));
          }
        }),
        { numRuns: HISTORIES },
      );
    });

    it('finds a few rows among thousands, before and after they are indexed', async () => {
      const of = (index: number) => ({
        row: { name: `n${index % 3}`, kind: 'playbook', started_at: index, path: `p/${index % 7}` },
        workload: { n: index % 1000 },
        isNested: index % 2 === 1,
      });
      for (let from = 0; from < 4500; from += 1500)
        await beginAll(Array.from({ length: 1500 }, (_, index) => of(from + index)));
      await change(runs[17]!, { status: 'failed', ended_at: 5000, error: 'the needle' });
      const asked: ListQuery[] = [
        { q: 'NEEDLE' },
        { q: 'RUN-1321' },
        { q: '132' },
        { status: ['failed'], order: 'oldest' },
        { ended_since: 5000 },
        { since: 2040, until: 2060 },
        { workload: { n: '17' }, roots: true },
        { name: 'n1', path: 'p/6', order: 'oldest', limit: 30 },
        { name: 'none' },
      ];
      for (const query of asked) expect([query, await listAll(query)]).toEqual([query, plain(query)]);
      while (await store.indexLists());
      for (const query of asked) expect([query, await listAll(query)]).toEqual([query, plain(query)]);
      await change(runs[4000]!, { status: 'failed', ended_at: 5001, error: 'needle again' });
      for (const query of asked) expect([query, await listAll(query)]).toEqual([query, plain(query)]);
    });

    it('returns nothing for an unknown cursor', async () => {
      await beginAll([{ row: { name: 'a' }, workload: {}, isNested: false }]);
      expect(await store.list({ before: 'unknown' })).toEqual({ executions: [] });
    });

    it('counts the root executions of each status', async () => {
      const history = fc.array(deeds, { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(history, async (all) => {
          for (const deed of all) await perform(deed);
          const roots = runs.filter((run) => !run.row.parent).map((run) => run.row.status);
          const counts = STATUSES.map((status) => [status, roots.filter((each) => each === status).length]);
          expect(await store.counts()).toEqual(Object.fromEntries(counts));
        }),
        { numRuns: 10 },
      );
    });

    it('does not count what it refused', async () => {
      await beginAll([{ row: { name: 'a' }, workload: {}, isNested: false }]);
      const late = { execution_id: 'run-0', expected: 0, events: events('workflow.finished') };
      expect(await store.append([{ ...late, row: { status: 'failed' } }])).toHaveLength(1);
      expect(await store.counts()).toMatchObject({ running: 1, failed: 0 });
    });

    it('reports every change to a caller that continues with the cursor', async () => {
      const seen = new Map<string, ExecutionRow>();
      let cursor = (await store.changes(undefined, 1000)).cursor;
      const steps = fc.array(fc.tuple(deeds, fc.boolean()), { maxLength: 12 });
      const look = async () => {
        const changed = await store.changes(cursor, 1000);
        expect(changed.isTooMany).toBe(false);
        ({ cursor } = changed);
        for (const each of changed.rows) seen.set(each.execution_id, each);
      };
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          for (const [deed, looks] of history) {
            await perform(deed);
            if (looks) await look();
          }
          await look();
          expect(seen).toEqual(new Map(runs.map((run) => [run.row.execution_id, run.row])));
        }),
        { numRuns: 10 },
      );
    });

    it('says that more changed than was asked for, and continues after it', async () => {
      const { cursor } = await store.changes(undefined, 2);
      const one = { row: { name: 'a' }, workload: {}, isNested: false };
      await beginAll([one, one, one]);
      const burst = await store.changes(cursor, 2);
      expect(burst).toMatchObject({ rows: [], isTooMany: true });
      await change(runs[0]!, { status: 'failed' });
      const next = await store.changes(burst.cursor, 2);
      expect(next.isTooMany).toBe(false);
      expect(next.rows.at(-1)).toMatchObject({ execution_id: 'run-0', status: 'failed' });
    });

    it('reports a new driver', async () => {
      await beginAll([{ row: { name: 'a' }, workload: {}, isNested: false }]);
      const { cursor } = await store.changes(undefined, 10);
      await store.claim('run-0', null, 'local-1');
      const { rows } = await store.changes(cursor, 10);
      expect(rows.at(-1)).toMatchObject({ execution_id: 'run-0', driver: 'local-1' });
    });
  });
}
