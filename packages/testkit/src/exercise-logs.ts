/** The conformance suite for the output of tasks: every implementation runs it. */
import { KEPT_PER_TASK_RUN, type LogEntry, type LogQuery, type LogStore } from '@woof/stores';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

export interface LogsFixture {
  logs: LogStore;
  /** Registers an execution of that name, if the store requires it. */
  begin(executionId: string): Promise<void>;
  dispose(): Promise<void>;
}

const line = (text: string, more: Partial<LogEntry> & { execution_id?: string } = {}) => ({
  execution_id: 'one',
  at: '2026-11-15T12:00:00.000Z',
  step: 'a',
  job_id: 'a.1',
  task_run_id: 'a.1/t.1',
  stream: 'stdout' as const,
  text,
  ...more,
});

const textsOf = (lines: readonly LogEntry[]) => lines.map(({ text }) => text);

async function allForward(logs: LogStore, id: string, query: LogQuery): Promise<string[]> {
  const texts: string[] = [];
  for (let from: string | undefined; ; ) {
    const { lines, next } = await logs.read(id, { ...query, from });
    expect(lines.length).toBeLessThanOrEqual(query.limit);
    if (lines.length === 0) return texts;
    texts.push(...textsOf(lines));
    from = next;
  }
}

async function allBackward(logs: LogStore, id: string, query: LogQuery): Promise<string[]> {
  const texts: string[] = [];
  for (let place: Partial<LogQuery> = { tail: true }; ; ) {
    const { lines, previous } = await logs.read(id, { ...query, ...place });
    expect(lines.length).toBeLessThanOrEqual(query.limit);
    texts.unshift(...textsOf(lines));
    if (previous === undefined) return texts;
    expect(lines.length).toBeGreaterThan(0);
    place = { before: previous };
  }
}

/** In both directions, in pages of several sizes. */
async function expectAll(logs: LogStore, id: string, filter: Partial<LogQuery>, texts: string[]) {
  for (const limit of [1, 3, 50, 1000]) {
    expect(await allForward(logs, id, { ...filter, limit })).toEqual(texts);
    expect(await allBackward(logs, id, { ...filter, limit })).toEqual(texts);
  }
}

export function exerciseLogs(name: string, make: () => Promise<LogsFixture>): void {
  describe(`logs: ${name}`, () => {
    let fixture: LogsFixture;
    let logs: LogStore;
    beforeEach(async () => {
      fixture = await make();
      logs = fixture.logs;
      for (const id of ['one', 'other']) await fixture.begin(id);
    });
    afterEach(() => fixture.dispose());

    it('come back in order, in pages of any size, from either end, by execution', async () => {
      const texts = Array.from({ length: 97 }, (_, index) => `${index} é\n`);
      for (let at = 0; at < texts.length; at += 10) {
        const batch = texts.slice(at, at + 10).map((text) => line(text));
        await logs.append([...batch, line('elsewhere', { execution_id: 'other' })]);
      }
      await expectAll(logs, 'one', {}, texts);
      expect(await allForward(logs, 'other', { limit: 7 })).toHaveLength(10);
      expect(await allBackward(logs, 'none', { limit: 7 })).toEqual([]);
    });

    it('a reader that continues gets what came since, and nothing twice', async () => {
      await logs.append([line('first'), line('b', { step: 'b' })]);
      for (const query of [{}, { tail: true }, { step: 'a' }, { q: 'none' }] as Partial<LogQuery>[]) {
        const { next } = await logs.read('one', { ...query, limit: 10 });
        expect(await logs.read('one', { from: next, limit: 10 })).toEqual({ lines: [], next });
      }
      const { next } = await logs.read('one', { limit: 10 });
      await logs.append([line('second')]);
      const more = await logs.read('one', { from: next, limit: 10 });
      expect(textsOf(more.lines)).toEqual(['second']);
      expect(textsOf((await logs.read('one', { before: more.previous, limit: 10 })).lines)).toEqual([
        'first',
        'b',
      ]);
    });

    it('a line is a place to read on from, in both directions', async () => {
      await logs.append(['a', 'b', 'c', 'd', 'e'].map((text) => line(text)));
      const { lines } = await logs.read('one', { limit: 10 });
      const { cursor } = lines[2]!;
      expect(textsOf((await logs.read('one', { from: cursor, limit: 10 })).lines)).toEqual(['d', 'e']);
      expect(textsOf((await logs.read('one', { before: cursor, limit: 1 })).lines)).toEqual(['b']);
    });

    it('are found by step, stream and text, and no page is empty before all are found', async () => {
      const entries = Array.from({ length: 200 }, (_, n) =>
        line(`line ${n}\n`, {
          step: n % 50 === 7 ? 'rare' : 'often',
          stream: n % 3 === 0 ? 'stderr' : 'stdout',
        }),
      );
      await logs.append(entries);
      const meant = (is: (n: number) => boolean) => textsOf(entries.filter((_, n) => is(n)));
      await expectAll(
        logs,
        'one',
        { step: 'rare' },
        meant((n) => n % 50 === 7),
      );
      await expectAll(
        logs,
        'one',
        { stream: 'stderr' },
        meant((n) => n % 3 === 0),
      );
      await expectAll(
        logs,
        'one',
        { q: 'LINE 19' },
        meant((n) => n === 19 || n >= 190),
      );
      await expectAll(
        logs,
        'one',
        { step: 'rare', stream: 'stderr', q: 'line' },
        meant((n) => n % 50 === 7 && n % 3 === 0),
      );
      for (const filter of [{ step: 'rar' }, { q: 'rare' }, { q: 'stdout' }, { q: 'line 200' }, { q: 'a.1' }])
        await expectAll(logs, 'one', filter, []);
    });

    it.each([
      ['.*', 'a.*b'],
      ['[a-', 'x [a- y'],
      ['%', '100 %'],
      ['_', 'a_b'],
      ['\\', 'C:\\new'],
      ['"text":"', 'say "text":"x"'],
      ['ОШИБКА', 'ошибка: нет'],
      ['straße', 'STRAßE'],
      ['é.', 'É.'],
      ['\u001b[31m', '\u001b[31mred\u001b[0m'],
      ['日本', 'こ日本'],
      ['😀', 'x😀'],
      ['\ud800', 'lone \ud800 half'],
      ['two\nlines', 'Two\nLines\n'],
    ])('text is searched for literally: %j', async (q, text) => {
      await logs.append([line('before'), line(text), line('zz')]);
      await expectAll(logs, 'one', { q }, [text]);
    });

    it('a step is matched by its whole name, whatever it contains', async () => {
      const steps = ['a"b', 'a', 'A', 'a%', '","text":"x', 'ж'];
      await logs.append(steps.map((step) => line(`of ${step}`, { step })));
      for (const step of steps) await expectAll(logs, 'one', { step }, [`of ${step}`]);
    });

    it('long lines are found, and end a page', async () => {
      const long = `${'x'.repeat(1_500_000)}END`;
      await logs.append([
        line('first', { task_run_id: 'b' }),
        ...['1', '2', '3', '4'].map((n) => line(long + n)),
      ]);
      await logs.append([line('last', { task_run_id: 'b' })]);
      const all = ['first', `${long}1`, `${long}2`, `${long}3`, `${long}4`, 'last'];
      expect(await allForward(logs, 'one', { limit: 100 })).toEqual(all);
      expect(await allBackward(logs, 'one', { limit: 100 })).toEqual(all);
      expect(await allBackward(logs, 'one', { limit: 100, q: 'end3' })).toEqual([`${long}3`]);
      expect((await logs.read('one', { limit: 100 })).lines.length).toBeLessThan(6);
    });

    it('keep the first 10 MiB of a task run, and the note about what was dropped', async () => {
      const much = 'x'.repeat(6 * 1024 * 1024);
      for (let round = 0; round < 3; round++)
        await logs.append([line(much), line('little', { task_run_id: 'b.1' })]);
      const kept = await allForward(logs, 'one', { limit: 100 });
      expect(kept.filter((text) => text === 'little')).toHaveLength(3);
      expect(kept.join('').length).toBe(KEPT_PER_TASK_RUN + 3 * 'little'.length);
    });

    it('an invalid place or name finds nothing, and a cursor of another run shows only lines of this one', async () => {
      await logs.append([line('x'), line('x', { execution_id: '../../escape' })]);
      await logs.append(Array.from({ length: 20 }, () => line('elsewhere', { execution_id: 'other' })));
      const { next } = await logs.read('other', { limit: 50 });
      for (const place of [next, '7', '-5', 'NaN', '1e99', '', '9007199254740993'])
        for (const query of [{ from: place }, { before: place }]) {
          const { lines } = await logs.read('one', { ...query, limit: 10 });
          expect(textsOf(lines).every((text) => text === 'x')).toBe(true);
        }
    });
  });
}
