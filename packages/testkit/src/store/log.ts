/** Frames: order, pages, refusals. */
import { type Event, newEvent } from '@woof/net';
import type { Store } from '@woof/stores';
import { beforeEach, describe, expect, it } from 'vitest';
import { exactValues } from '../exact-values.ts';
import { plan, step } from '../plan-builder.ts';
import { events, framesOf, row, type StoreFixture } from './store-fixture.ts';

export function exerciseLog(current: () => StoreFixture): void {
  describe('log', () => {
    let fixture: StoreFixture;
    let store: Store;
    const first = { row: row('a'), plan: { hash: 'h', plan: plan([step('start')]) } };
    const start = () =>
      store.append([{ execution_id: 'a', expected: 0, events: events('workflow.started'), ...first }]);

    beforeEach(() => {
      fixture = current();
      store = fixture.store;
    });

    it('returns frames as they were written, in order', async () => {
      await start();
      const result = { deep: [1, null, 'ü\u2028'], numbers: exactValues(50) };
      const second = newEvent('step.done', 9, { step: 'x' }, { result });
      await store.append([
        { execution_id: 'a', expected: 1, events: [second, ...events('workflow.finished')] },
      ]);
      const frames = await framesOf(store, 'a');
      expect(frames.map((frame) => frame.from)).toEqual([0, 1]);
      expect(frames[1]!.events[0]).toEqual(second);
    });

    it('reads from the frame that contains the requested event', async () => {
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

    it('reads more frames than fit on a page', async () => {
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
        const event = newEvent('step.done', seq, {}, { result: text });
        await store.append([{ execution_id: 'a', expected: seq, events: [event] }]);
      }
      if (fixture.reopen) store = await fixture.reopen();
      for (const from of [0, 1, 7, 19]) {
        const seqs = (await framesOf(store, 'a', from)).map((frame) => frame.from);
        expect(seqs).toEqual(Array.from({ length: 20 - from }, (_, index) => from + index));
      }
    });

    it('refuses a frame that expects another seq and says what there is; the others are accepted', async () => {
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

    it('refuses what follows a refused frame in its batch', async () => {
      await start();
      await store.append([{ execution_id: 'a', expected: 1, events: events('step.done') }]);
      const [stale, onTop] = [1, 2].map((expected) => ({
        execution_id: 'a',
        expected,
        events: events('step.failed'),
      }));
      const refused = { execution_id: 'a', actual: 2 };
      expect(await store.append([stale!, onTop!])).toEqual([refused, refused]);
      expect(await framesOf(store, 'a')).toHaveLength(2);
    });

    it('refuses what leaves a gap after a frame of its batch', async () => {
      await start();
      const [good, early] = [1, 3].map((expected) => ({
        execution_id: 'a',
        expected,
        events: events('step.done'),
      }));
      expect(await store.append([good!, early!])).toEqual([{ execution_id: 'a', actual: 2 }]);
      expect(await framesOf(store, 'a')).toHaveLength(2);
    });

    it('keeps every text, however odd', async () => {
      const texts = [
        'a\u0000b',
        '\u0000',
        '\ud800',
        '\udc00\ud800',
        '\u001a0000',
        '\\u0000',
        '😀\u2028',
        '{"a":"\\\\"}',
        '',
      ];
      const odd = texts.map((text, at) =>
        newEvent('step.done', at, { step: text }, { result: { [text]: text, list: [text] } }),
      );
      await store.append([{ execution_id: 'a', expected: 0, events: odd, row: row('a') }]);
      expect((await framesOf(store, 'a'))[0]!.events).toEqual(odd);
      const change = { error: texts.join('|'), wants: Object.fromEntries(texts.map((text) => [text, text])) };
      await store.append([{ execution_id: 'a', expected: odd.length, events: [], row: change }]);
      expect(await store.execution('a')).toEqual(row('a', change));
      for (const text of texts) {
        const id = `id-${text}`;
        const named = row(id, { name: text });
        await store.append([
          { execution_id: id, expected: 0, events: events('workflow.started'), row: named },
        ]);
        expect(await store.execution(id)).toEqual(named);
        expect(await store.executions({ name: text })).toEqual([named]);
        expect(await framesOf(store, id)).toHaveLength(1);
      }
    });

    it('takes a frame with the most events of a turn', async () => {
      const many = Array.from({ length: 5000 }, (_, at) => newEvent('step.started', at, { step: `s${at}` }));
      await store.append([{ execution_id: 'a', expected: 0, events: many, row: row('a') }]);
      expect((await framesOf(store, 'a', 4999))[0]!.events).toEqual(many);
    });

    it('takes a batch of many executions', async () => {
      const ids = Array.from({ length: 300 }, (_, index) => `e${index}`);
      const first = ids.map((id) => ({
        execution_id: id,
        expected: 0,
        events: events('workflow.started'),
        row: row(id),
      }));
      expect(await store.append(first)).toEqual([]);
      const second = ids.map((id) => ({ execution_id: id, expected: 1, events: events('step.done') }));
      expect(await store.append(second)).toEqual([]);
      for (const id of ['e0', 'e150', 'e299']) {
        expect((await framesOf(store, id)).map((frame) => frame.from)).toEqual([0, 1]);
      }
      expect(await store.append([])).toEqual([]);
    });

    it('lets one win if several append to the same place at once', async () => {
      await start();
      const other = (await current().another?.()) ?? store;
      for (let seq = 1; seq < 20; seq++) {
        const frames = [0, 1, 2, 3].map((at) => ({
          execution_id: 'a',
          expected: seq,
          events: [{ name: 'step.done', at } as Event],
        }));
        const answers = await Promise.all(
          frames.map((frame, index) => (index % 2 ? store : other).append([frame])),
        );
        expect(answers.filter((refused) => refused.length === 0)).toHaveLength(1);
        expect(answers.flat()).toEqual(Array(3).fill({ execution_id: 'a', actual: seq + 1 }));
      }
      const frames = await framesOf(store, 'a');
      expect(frames.map((frame) => frame.from)).toEqual(Array.from({ length: 20 }, (_, seq) => seq));
    });

    it('keeps every log complete if several write in turn', async () => {
      const writers = [store, (await current().another?.()) ?? store];
      for (const [index, id] of ['w0', 'w1'].entries())
        await writers[index]!.append([
          { execution_id: id, expected: 0, events: events('workflow.started'), row: row(id) },
        ]);
      for (let seq = 1; seq < 40; seq++) {
        // Sometimes one of them, sometimes both, sometimes one twice: a run of frames ends in every way.
        for (const index of [[0, 1], [0], [1, 1]][seq % 3]!) {
          const id = `w${index}`;
          const expected = (await framesOf(store, id)).length;
          const refused = await writers[index]!.append([
            { execution_id: id, expected, events: events('step.done') },
          ]);
          expect(refused).toEqual([]);
        }
      }
      for (const id of ['w0', 'w1']) {
        const frames = await framesOf(writers[1]!, id);
        expect(frames.map(({ from }) => from)).toEqual(frames.map((_, at) => at));
        expect(frames.length).toBeGreaterThan(20);
      }
    });

    it('knows nothing of an execution that was never appended', async () => {
      expect(await store.execution('x')).toBeUndefined();
      expect(await framesOf(store, 'x')).toEqual([]);
      expect(await store.snapshot('x')).toBeUndefined();
    });

    it('continues where it was after it was reopened', async (context) => {
      if (fixture.reopen === undefined) return context.skip('nothing outlives this store');
      await start();
      store = await fixture.reopen();
      expect(await store.append([{ execution_id: 'a', expected: 0, events: [] }])).toHaveLength(1);
      await store.append([{ execution_id: 'a', expected: 1, events: events('step.done') }]);
      expect(await framesOf(store, 'a')).toHaveLength(2);
    });
  });
}
