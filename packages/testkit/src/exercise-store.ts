/** The conformance suite of a store: every implementation runs it. */
import type { Event, Plan } from '@woof/net';
import type { ExecutionRow, Frame, Store } from '@woof/stores';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plan, step } from './plan-builder.ts';

export interface StoreFixture {
  store: Store;
  /** Closes and opens it again, where that means something. */
  reopen?: () => Promise<Store>;
  dispose(): Promise<void>;
}

const row = (id: string, more: Partial<ExecutionRow> = {}): ExecutionRow => ({
  execution_id: id,
  name: 'test',
  kind: 'playbook',
  status: 'running',
  started_at: 1,
  plan_hash: 'h',
  ...more,
});

const events = (...names: Event['name'][]): Event[] => names.map((name, index) => ({ name, at: index }));

async function framesOf(store: Store, id: string, from?: number): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of store.read(id, from)) frames.push(frame);
  return frames;
}

export function exerciseStore(name: string, make: () => Promise<StoreFixture>): void {
  describe(`store: ${name}`, () => {
    let fixture: StoreFixture;
    let store: Store;
    const first = { row: row('a'), plan: { hash: 'h', plan: plan([step('start')]) } };
    const start = () =>
      store.append([{ execution_id: 'a', expected: 0, events: events('workflow.started'), ...first }]);

    beforeEach(async () => {
      fixture = await make();
      store = fixture.store;
    });
    afterEach(() => fixture.dispose());

    it('gives frames back as they went in, in order', async () => {
      await start();
      const second: Event = {
        name: 'step.done',
        at: 9,
        step: 'x',
        data: { result: { deep: [1, null, 'ü\u2028'] } },
      };
      await store.append([
        { execution_id: 'a', expected: 1, events: [second, ...events('workflow.finished')] },
      ]);
      const frames = await framesOf(store, 'a');
      expect(frames.map((frame) => frame.from)).toEqual([0, 1]);
      expect(frames[1]!.events[0]).toEqual(second);
    });

    it('reads from the frame that holds the asked event', async () => {
      await start();
      await store.append([
        { execution_id: 'a', expected: 1, events: events('step.done', 'step.done', 'step.done') },
      ]);
      await store.append([{ execution_id: 'a', expected: 4, events: events('workflow.finished') }]);
      const from = async (seq: number) => (await framesOf(store, 'a', seq)).map((frame) => frame.from);
      expect(await from(0)).toEqual([0, 1, 4]);
      expect(await from(2)).toEqual([1, 4]);
      expect(await from(4)).toEqual([4]);
    });

    it('reads more frames than a page holds', async () => {
      await start();
      for (let seq = 1; seq < 1200; seq++) {
        await store.append([{ execution_id: 'a', expected: seq, events: events('step.done') }]);
      }
      const frames = await framesOf(store, 'a');
      expect(frames.map((frame) => frame.from)).toEqual(Array.from({ length: 1200 }, (_, seq) => seq));
    });

    it('keeps interleaved executions apart, from any event on and after opening again', async () => {
      const length: Record<string, number> = {};
      const expected: Record<string, number[]> = {};
      for (let turn = 0; turn < 700; turn++) {
        // Runs of one execution of every length up to a few hundred, between single frames of others.
        const id = turn < 300 ? 'a' : ['a', 'b', 'c'][(turn * 7) % 3]!;
        const seq = length[id] ?? 0;
        const size = 1 + (turn % 3);
        const names = Array.from({ length: size }, () => 'step.done' as const);
        const creation = seq === 0 ? { row: row(id) } : {};
        await store.append([{ execution_id: id, expected: seq, events: events(...names), ...creation }]);
        length[id] = seq + size;
        expected[id] = [...(expected[id] ?? []), seq];
      }
      if (fixture.reopen) store = await fixture.reopen();
      for (const id of ['a', 'b', 'c']) {
        expect((await framesOf(store, id)).map((frame) => frame.from)).toEqual(expected[id]);
        const middle = expected[id]![Math.floor(expected[id]!.length / 2)]!;
        const rest = expected[id]!.filter((from) => from >= middle);
        expect((await framesOf(store, id, middle)).map((frame) => frame.from)).toEqual(rest);
        await store.append([{ execution_id: id, expected: length[id]!, events: events('step.done') }]);
      }
    });

    it('reads large frames from any event on', async () => {
      const text = 'x'.repeat(100_000);
      await start();
      for (let seq = 1; seq < 20; seq++) {
        const event: Event = { name: 'step.done', at: seq, data: { text } };
        await store.append([{ execution_id: 'a', expected: seq, events: [event] }]);
      }
      if (fixture.reopen) store = await fixture.reopen();
      for (const from of [0, 1, 7, 19]) {
        const seqs = (await framesOf(store, 'a', from)).map((frame) => frame.from);
        expect(seqs).toEqual(Array.from({ length: 20 - from }, (_, index) => from + index));
      }
    });

    it('refuses a frame that expects another seq and says what there is; the others are taken', async () => {
      await start();
      const good = { execution_id: 'b', expected: 0, events: events('workflow.started'), row: row('b') };
      const stale = { execution_id: 'a', expected: 0, events: events('step.done') };
      const early = { execution_id: 'a', expected: 7, events: events('step.done') };
      const refused = [
        { execution_id: 'a', actual: 1 },
        { execution_id: 'a', actual: 1 },
      ];
      expect(await store.append([stale, good, early])).toEqual(refused);
      expect(await store.execution('b')).toEqual(row('b'));
      expect(await framesOf(store, 'a')).toHaveLength(1);
      expect(await store.append([{ execution_id: 'a', expected: 1, events: events('step.done') }])).toEqual(
        [],
      );
    });

    it('changes no row with a frame that it refuses', async () => {
      await start();
      const stale = {
        execution_id: 'a',
        expected: 0,
        events: events('step.done'),
        row: row('a', { name: 'x' }),
      };
      expect(await store.append([stale])).toHaveLength(1);
      expect(await store.execution('a')).toEqual(row('a'));
    });

    it('takes several appends to one execution in one batch', async () => {
      await start();
      await store.append([
        { execution_id: 'a', expected: 1, events: events('step.scheduled') },
        { execution_id: 'a', expected: 2, events: events('step.done') },
      ]);
      expect(await framesOf(store, 'a')).toHaveLength(3);
    });

    it('keeps the plan by its hash', async () => {
      await start();
      expect(await store.plan('h')).toEqual(first.plan.plan satisfies Plan);
      expect(await store.plan('other')).toBeUndefined();
    });

    it('keeps rows, changes them, and lists the newest first', async () => {
      await start();
      await store.append([
        {
          execution_id: 'b',
          expected: 0,
          events: events('workflow.started'),
          row: row('b', { parent: 'a' }),
        },
      ]);
      const end = { status: 'failed', ended_at: 7, error: 'boom' } as const;
      await store.append([{ execution_id: 'a', expected: 1, events: events('workflow.finished'), row: end }]);
      expect(await store.execution('a')).toEqual({ ...row('a'), ...end });
      const ids = async (filter?: Parameters<Store['executions']>[0]) =>
        (await store.executions(filter)).map((found) => found.execution_id);
      expect(await ids()).toEqual(['b', 'a']);
      expect(await ids({ status: 'failed' })).toEqual(['a']);
      expect(await ids({ roots: true })).toEqual(['a']);
      expect(await ids({ limit: 1 })).toEqual(['b']);
    });

    it('keeps the latest snapshot', async () => {
      await start();
      expect(await store.snapshot('a')).toBeUndefined();
      await store.saveSnapshot('a', { seq: 1, state: '{"a":1}' });
      await store.saveSnapshot('a', { seq: 1, state: '{"a":2}' });
      expect(await store.snapshot('a')).toEqual({ seq: 1, state: '{"a":2}' });
    });

    it('knows nothing of an execution that was never appended', async () => {
      expect(await store.execution('x')).toBeUndefined();
      expect(await framesOf(store, 'x')).toEqual([]);
      expect(await store.snapshot('x')).toBeUndefined();
    });

    it('goes on where it was after it was opened again', async (context) => {
      if (fixture.reopen === undefined) return context.skip('nothing outlives this store');
      await start();
      store = await fixture.reopen();
      expect(await store.append([{ execution_id: 'a', expected: 0, events: [] }])).toHaveLength(1);
      await store.append([{ execution_id: 'a', expected: 1, events: events('step.done') }]);
      expect(await framesOf(store, 'a')).toHaveLength(2);
    });
  });
}
